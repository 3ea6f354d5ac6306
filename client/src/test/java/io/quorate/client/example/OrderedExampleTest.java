package io.quorate.client.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import org.junit.jupiter.api.Test;

class OrderedExampleTest {
  @Test
  void theExampleRunsAlsoIfTheFirstResponseIsLost() {
    try (FakeCluster cluster = FakeCluster.start(1);
        QuorateClient client = QuorateClient.connect(cluster.addresses())) {
      cluster.node(1).next(Opcode.WRITE, Reaction.executeThenDrop());
      assertThat(OrderedExample.ship(client).join()).contains("paid, packed, shipped");
    }
  }
}
