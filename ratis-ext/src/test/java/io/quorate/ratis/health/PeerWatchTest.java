package io.quorate.ratis.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.ratis.health.PeerWatch.Change;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;

class PeerWatchTest {
  private static final RaftPeerId A = RaftPeerId.valueOf("a");
  private static final RaftPeerId B = RaftPeerId.valueOf("b");

  private final PeerWatch watch = new PeerWatch(Duration.ofSeconds(4));

  @Test
  void eachChangeIsReportedOnce() {
    assertThat(observe(A, 0, B, 4000)).isEmpty();
    assertThat(observe(A, 0, B, 4001)).containsExactly(new Change(B, true));
    assertThat(observe(A, 0, B, 9000)).isEmpty();
    assertThat(observe(A, 0, B, 10)).containsExactly(new Change(B, false));
    assertThat(observe(A, 0, B, 10)).isEmpty();
  }

  @Test
  void aFollowerOfAnotherNodeIsNoLongerWatched() {
    assertThat(observe(A, 5000, B, 0)).containsExactly(new Change(A, true));
    assertThat(watch.observe(Map.of())).isEmpty();
    assertThat(observe(A, 0, B, 0)).isEmpty();
    assertThat(observe(A, 5000, B, 0)).containsExactly(new Change(A, true));
  }

  private List<Change> observe(RaftPeerId one, long millis, RaftPeerId other, long otherMillis) {
    return watch.observe(
        Map.of(one, Duration.ofMillis(millis), other, Duration.ofMillis(otherMillis)));
  }
}
