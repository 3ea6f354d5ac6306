package io.quorate.client.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OrderedExampleTest {
  @Test
  void theExampleRunsAlsoIfTheFirstRequestIsLost() {
    try (FakeCluster cluster = FakeCluster.start(1);
        QuorateClient client =
            QuorateClient.connect(
                ClientOptions.builder(cluster.addresses())
                    .attemptTimeout(Duration.ofMillis(400))
                    .build())) {
      cluster.node(1).next(Opcode.WRITE, Reaction.swallow());
      assertThat(OrderedExample.ship(client).join()).contains("paid, packed, shipped");
    }
  }
}
