package io.quorate.ratis.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.RaftGroupId;
import org.junit.jupiter.api.Test;

class LeasePromisesTest {
  private static final Duration LENGTH = Duration.ofMillis(100);

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - LENGTH.toNanos() / 2);
  private final RaftGroupId group = RaftGroupId.randomId();

  @Test
  void whoPromisedNothingIsFree() {
    LeasePromises promises = new LeasePromises(Duration.ZERO, clock::get);
    assertThat(promises.isBound(group)).isFalse();
  }

  @Test
  void aPromiseIsKeptForAsLongAsWasAskedAndNoLonger() {
    LeasePromises promises = new LeasePromises(Duration.ZERO, clock::get);
    promises.keep(group, LENGTH);
    pass(LENGTH.minusNanos(1));
    assertThat(promises.isBound(group)).isTrue();
    pass(Duration.ofNanos(1));
    assertThat(promises.isBound(group)).isFalse();
  }

  @Test
  void aShorterPromiseDoesNotShortenALongerOne() {
    LeasePromises promises = new LeasePromises(Duration.ZERO, clock::get);
    promises.keep(group, LENGTH);
    promises.keep(group, Duration.ofNanos(1));
    pass(LENGTH.minusNanos(1));
    assertThat(promises.isBound(group)).isTrue();
  }

  @Test
  void aPromiseBindsInItsOwnGroup() {
    LeasePromises promises = new LeasePromises(Duration.ZERO, clock::get);
    promises.keep(group, LENGTH);
    assertThat(promises.isBound(RaftGroupId.randomId())).isFalse();
  }

  @Test
  void aVoterThatWasRestartedKeepsWhatItMayHavePromisedBefore() {
    LeasePromises restarted = new LeasePromises(LENGTH, clock::get);
    pass(LENGTH.minusNanos(1));
    assertThat(restarted.isBound(group)).isTrue();
    pass(Duration.ofNanos(1));
    assertThat(restarted.isBound(group)).isFalse();
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }
}
