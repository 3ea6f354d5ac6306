package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.model.Guarantee;
import io.quorate.model.Position;
import io.quorate.testing.EmbeddedCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PositionAheadTest {
  private static final byte[] KEY = "key".getBytes(StandardCharsets.UTF_8);

  @Test
  void aReadAtAPositionThatNoReplicaHasReachedSaysSo() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1);
        QuorateClient client = QuorateClient.connect(cluster.options())) {
      Position written = client.put(KEY, KEY);
      Position ahead = new Position(written.epoch(), written.index() + 1_000);
      QuorateClient impatient = client.withDeadline(Duration.ofSeconds(3));
      assertThatThrownBy(() -> impatient.get(KEY, new Guarantee.AtLeast(ahead)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("The replica has not reached position " + ahead + "; it is at ");
      assertThat(impatient.get(KEY, new Guarantee.AtLeast(written))).contains(KEY);
    }
  }
}
