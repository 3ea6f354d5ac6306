package io.quorate.server.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.common.LoopbackPorts;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.ChangeNodesResponse;
import io.quorate.protocol.wire.v1.RegionChange;
import io.quorate.protocol.wire.v1.Replica;
import io.quorate.protocol.wire.v1.ReplicaChange;
import io.quorate.server.cli.CliRun;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A change of nodes that waits for a region which cannot change its members. */
class StalledChangeTest {
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3, "k");
    ChangeNodesResponse remaining =
        ChangeNodesResponse.newBuilder()
            .addChanges(
                RegionChange.newBuilder()
                    .setRegion(1)
                    .setChange(ReplicaChange.newBuilder().setFrom("n1")))
            .build();
    for (int node = 1; node <= 3; node++) {
      cluster
          .node(node)
          .always(
              Opcode.CHANGE_NODES,
              request ->
                  request.respond(Status.OK, Unpooled.wrappedBuffer(remaining.toByteArray())));
    }
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private CliRun drain() {
    return CliRun.of("node", "drain", "n1", "--stall-max=500ms", "--at=" + cluster.addresses());
  }

  /** As if it stood after it. */
  @Test
  void theAddressBeforeTheVerbCountsForIt() {
    reports(replica -> replica.setServing(false));
    CliRun run = CliRun.of("node", "--at", cluster.addresses(), "drain", "n1", "--stall-max=500ms");
    assertThat(run.err()).contains("region 1: no replica of it leads or is ready");
    assertThat(cluster.nodes()).anyMatch(node -> node.count(Opcode.CHANGE_NODES) > 0);
  }

  @Test
  void theAddressIsNamedWhereNothingResponds() {
    String nothing = "127.0.0.1:" + LoopbackPorts.next();
    CliRun run = CliRun.of("node", "--at", nothing, "drain", "n1", "--timeout=500ms");
    assertThat(run.err()).startsWith("No node responded: ").contains(nothing).hasLineCount(1);
    assertThat(run.exitCode()).isEqualTo(3);
  }

  @Test
  void anOptionBeforeTheVerbThatItDoesNotHaveIsRefused() {
    CliRun run = CliRun.of("node", "--json", "drain", "n1", "--at=" + cluster.addresses());
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo("quorate node drain has no option --json.\nSee quorate node drain --help.\n");
    CliRun twice =
        CliRun.of("node", "--at=h:1", "drain", "n1", "--at=" + cluster.addresses(), "--dry-run");
    assertThat(twice.err()).startsWith("Option --at stands before and after quorate node drain.\n");
    assertThat(cluster.nodes()).allMatch(node -> node.count(Opcode.CHANGE_NODES) == 0);
  }

  private void reports(Consumer<Replica.Builder> change) {
    for (int node = 1; node <= 3; node++) {
      cluster
          .node(node)
          .always(
              Opcode.STATUS,
              Reaction.changedStatus(
                  status -> {
                    status
                        .getReplicasBuilderList()
                        .forEach(
                            replica -> {
                              if (replica.getRegion() == 1) {
                                change.accept(replica);
                              }
                            });
                    status.addReplicas(
                        Replica.newBuilder()
                            .setRegion(0)
                            .setEpoch(1)
                            .addReplicas("n1")
                            .setServing(true));
                  }));
    }
  }

  @Test
  void endsWithTheReasonOfThePlan() {
    reports(replica -> replica.setServing(true).setPlanProblem("Node n2 does not respond."));
    CliRun run = drain();
    assertThat(run.err())
        .contains("Waiting for region 1: Node n2 does not respond.\n")
        .contains("No change has become complete for 500ms (--stall-max): region 1: Node n2 does");
    assertThat(run.exitCode()).isEqualTo(3);
  }

  @Test
  void endsIfNoReplicaServes() {
    reports(replica -> replica.setServing(false));
    CliRun run = drain();
    assertThat(run.err()).contains("region 1: no replica of it leads or is ready");
    assertThat(run.exitCode()).isEqualTo(3);
  }
}
