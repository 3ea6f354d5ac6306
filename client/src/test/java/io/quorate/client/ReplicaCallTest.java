package io.quorate.client;

import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Opcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicaCallTest {
  @Test
  void theRequestGoesToTheLeader() {
    try (FakeCluster cluster = FakeCluster.start(3);
        QuorateClient client = QuorateClient.connect(options(cluster).build())) {
      cluster.setLeader(1, "n2");

      client.transferLeader(new GroupId(1), new NodeId("n3"));

      assertThat(cluster.node(2).count(Opcode.TRANSFER_LEADER)).isEqualTo(1);
      assertThat(cluster.node(1).count(Opcode.TRANSFER_LEADER)).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "2, 1"})
  void theRequestDoesNotGoToADeposedLeader(int deposed, int leader) {
    try (FakeCluster cluster = FakeCluster.start(3);
        QuorateClient client = QuorateClient.connect(options(cluster).build())) {
      cluster.node(deposed).always(Opcode.STATUS, reportsLeader(4, "n" + deposed));
      cluster.node(leader).always(Opcode.STATUS, reportsLeader(5, "n" + leader));
      cluster.node(3).always(Opcode.STATUS, reportsLeader(6, ""));

      client.transferLeader(new GroupId(1), new NodeId("n3"));

      assertThat(cluster.node(leader).count(Opcode.TRANSFER_LEADER)).isEqualTo(1);
      assertThat(cluster.node(deposed).count(Opcode.TRANSFER_LEADER)).isZero();
    }
  }

  private static Reaction reportsLeader(long consensusEpoch, String leader) {
    return Reaction.changedStatus(
        status -> status.getReplicasBuilder(0).setConsensusEpoch(consensusEpoch).setLeader(leader));
  }
}
