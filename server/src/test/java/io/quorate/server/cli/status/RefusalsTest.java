package io.quorate.server.cli.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.NodeStatus.JoinState;
import io.quorate.server.cli.CliRun;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How healthy a cluster is, nodes of which refuse writes or cannot store them. */
class RefusalsTest {
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3, "k", "m");
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void reports(int node, Consumer<NodeStatus.Builder> change) {
    cluster
        .node(node)
        .always(
            Opcode.STATUS,
            Reaction.changedStatus(
                status -> {
                  status.setJoinState(JoinState.JOINED);
                  change.accept(status);
                }));
  }

  private static void refuse(NodeStatus.Builder status) {
    status.setAcceptsWrites(false).setRefusal("The disk of this node is nearly full.");
  }

  private static void leaderless(NodeStatus.Builder status) {
    status.getTopologyBuilder().setLeadersOnly(false);
    status.getReplicasBuilderList().forEach(replica -> replica.setServing(true).clearLeader());
  }

  private CliRun run(String... options) {
    String[] arguments =
        Stream.concat(Stream.of("status", "--at=" + cluster.addresses()), Arrays.stream(options))
            .toArray(String[]::new);
    // The first request of a process may take longer than the status waits for a node.
    return await().until(() -> CliRun.of(arguments), result -> !result.out().contains(" down"));
  }

  @Test
  void aCertificateThatExpiresSoonIsNamed() {
    reports(1, status -> status.putSettings("certificate-expires", "2001-02-03T04:05:06Z"));
    reports(2, status -> status.putSettings("certificate-expires", "9001-02-03T04:05:06Z"));
    assertThat(run().out())
        .contains("\nn1: its certificate expired on 2001-02-03; put another one in its place.\n")
        .doesNotContain("9001");
  }

  @Test
  void aRegionWhoseLeaderRefusesWritesIsUnavailable() {
    cluster.setLeader(1, "n1");
    cluster.setLeader(2, "n2");
    cluster.setLeader(3, "n1");
    reports(1, RefusalsTest::refuse);
    assertThat(run().out())
        .startsWith("UNAVAILABLE: regions 1, 3 take no writes, because ")
        .contains("; node n1 refuses writes: The disk of this node is nearly full\n");
    assertThat(run("--check").exitCode()).isEqualTo(3);
  }

  @Test
  void aNodeThatRefusesWritesAndLeadsNothingDegrades() {
    for (int region = 1; region <= 3; region++) {
      cluster.setLeader(region, "n2");
    }
    reports(1, RefusalsTest::refuse);
    assertThat(run().out())
        .startsWith("DEGRADED: node n1 refuses writes: The disk of this node is nearly full\n");
    assertThat(run("--check").exitCode()).isEqualTo(1);
  }

  @Test
  void withoutLeadersOneNodeThatAcceptsWritesIsEnough() {
    reports(
        1,
        status -> {
          leaderless(status);
          refuse(status);
        });
    reports(
        2,
        status -> {
          leaderless(status);
          refuse(status);
        });
    reports(3, RefusalsTest::leaderless);
    assertThat(run().out()).startsWith("DEGRADED: ").contains("node n2 refuses writes");
    reports(
        3,
        status -> {
          leaderless(status);
          refuse(status);
        });
    assertThat(run().out()).startsWith("UNAVAILABLE: regions 1, 2, 3 take no writes");
  }

  @Test
  void aNodeWhoseStorageFailsIsNotHealthy() {
    reports(1, status -> status.addStorageFailures("Flushing failed: Too many open files."));
    assertThat(run().out())
        .startsWith("DEGRADED: node n1 cannot store: Flushing failed: Too many open files\n");
    assertThat(run("--check").exitCode()).isEqualTo(1);
  }

  @Test
  void aNodeThatIsBehindIsNotHealthyAndIsNamedOnce() {
    reports(
        2,
        status -> {
          status.getReplicasBuilder(0).setBehindMs(12_345);
          status.getReplicasBuilder(2).setBehindMs(754_321);
        });
    assertThat(run().out())
        .startsWith("DEGRADED: node n2 has been behind with regions 1, 3 for 754 s\n");
    assertThat(run("--check").exitCode()).isEqualTo(1);
    assertThat(run("--json").out()).contains("\"behindMs\": 754321");
  }

  @Test
  void aReplicaThatKnowsNoLeaderIsNotHealthy() {
    reports(3, status -> status.getReplicasBuilder(1).clearLeader());
    assertThat(run().out()).startsWith("DEGRADED: node n3 knows no leader of region 2\n");
  }

  @Test
  void nodesThatKnowNoRegionAreNoClusterThatAcceptsWrites() {
    for (int node = 1; node <= 3; node++) {
      reports(
          node,
          status -> {
            status.clearReplicas();
            status.getTopologyBuilder().clearRegions();
          });
    }
    assertThat(run().out()).startsWith("UNAVAILABLE: no node that responds knows a region\n");
    assertThat(run("--check").exitCode()).isEqualTo(3);
  }

  @Test
  void aReasonIsNamedOnce() {
    for (int region = 1; region <= 3; region++) {
      cluster.setLeader(region, "n2");
    }
    reports(
        1,
        status ->
            status
                .setAcceptsWrites(false)
                .setRefusal("Rows are damaged.")
                .addStorageFailures("Rows are damaged.")
                .addStorageFailures("Flushing failed.")
                .addStorageFailures("Flushing failed."));
    assertThat(run().out())
        .startsWith(
            "DEGRADED: node n1 refuses writes: Rows are damaged; node n1 cannot store: Flushing"
                + " failed\n");
  }
}
