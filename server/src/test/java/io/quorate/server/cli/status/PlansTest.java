package io.quorate.server.cli.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.LostReplica;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.NodeStatus.JoinState;
import io.quorate.protocol.wire.v1.PlannedMerge;
import io.quorate.protocol.wire.v1.PlannedSplit;
import io.quorate.protocol.wire.v1.ReplicaChange;
import io.quorate.server.cli.CliRun;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the status shows of changes of regions that are under way. */
class PlansTest {
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3, "k", "m", "t");
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void plansAreShownBelowTheRegions() {
    firstNodeReports(
        status -> {
          status.getTopologyBuilder().getRegionsBuilder(0).setChange(change("n1", "n4"));
          status.getTopologyBuilder().getRegionsBuilder(1).setChange(change("", "n4"));
          status.getTopologyBuilder().getRegionsBuilder(2).setChange(change("n2", ""));
          status
              .getTopologyBuilder()
              .getRegionsBuilder(3)
              .setSplit(PlannedSplit.newBuilder().setAt(ByteString.copyFromUtf8("x")).setChild(5));
        });
    assertThat(run().out())
        .startsWith("HEALTHY\n")
        .endsWith(
            """

            REGION  UNDER WAY
            1       replica moves from n1 to n4
            2       new replica on n4
            3       replica leaves n2
            4       split at x, new region 5
            """);
    assertThat(run("--json").out().replaceAll("\\s+", " "))
        .contains("\"plan\": { \"kind\": \"move\", \"from\": \"n1\", \"to\": \"n4\" }")
        .contains("\"plan\": { \"kind\": \"add\", \"from\": null, \"to\": \"n4\" }")
        .contains("\"plan\": { \"kind\": \"remove\", \"from\": \"n2\", \"to\": null }")
        .contains("\"plan\": { \"kind\": \"split\", \"at\": \"x\", \"child\": 5 }");
  }

  @Test
  void aPlanThatCouldNotBeCarriedOutSaysWhy() {
    firstNodeReports(
        status -> {
          status.getTopologyBuilder().getRegionsBuilder(0).setChange(change("n1", "n4"));
          status
              .getReplicasBuilder(0)
              .setServing(true)
              .setPlanProblem("Node n4 has not opened the replica yet.");
        });
    assertThat(run("--check").exitCode()).isEqualTo(1);
    assertThat(run().out())
        .startsWith("DEGRADED: region 1 waits: Node n4 has not opened the replica yet\n")
        .endsWith(
            """
            1       replica moves from n1 to n4: Node n4 has not opened the replica yet.
            """);
    assertThat(run("--json").out())
        .contains("\"planProblem\": \"Node n4 has not opened the replica yet.\"");
  }

  @Test
  void aPlanOfARegionThatDoesNotServeSaysThatItWaits() {
    for (int node = 1; node <= 3; node++) {
      nodeReports(
          node,
          status -> {
            status.getTopologyBuilder().getRegionsBuilder(0).setChange(change("n2", ""));
            status.getTopologyBuilder().getRegionsBuilder(1).setChange(change("", "n2"));
            status.getReplicasBuilderList().forEach(replica -> replica.setServing(false));
          });
    }
    assertThat(run().out())
        .contains("1       replica leaves n2: it waits until the region accepts writes")
        .contains("2       replica stays on n2: it waits until");
  }

  @Test
  void bothRegionsOfAMergeShowIt() {
    PlannedMerge merge = PlannedMerge.newBuilder().setNumber(5).setAbsorbed(4).setInto(3).build();
    firstNodeReports(
        status -> {
          status.getTopologyBuilder().getRegionsBuilder(2).setMerge(merge);
          status.getTopologyBuilder().getRegionsBuilder(3).setMerge(merge);
        });
    assertThat(run().out())
        .endsWith(
            """

            REGION  UNDER WAY
            3       merge of region 4 into region 3
            4       merge of region 4 into region 3
            """);
    assertThat(run("--json").out().replaceAll("\\s+", " "))
        .contains("\"plan\": { \"kind\": \"merge\", \"absorbed\": 4, \"into\": 3 }");
  }

  @Test
  void aRegionThatHasEndedIsNotShownThoughANodeThatIsBehindReportsIt() {
    firstNodeReports(
        status -> {
          status.getTopologyBuilder().removeRegions(3);
          status.getTopologyBuilder().getRegionsBuilder(2).clearEnd().setEpoch(2);
          status.addReplicas(
              status.getReplicas(0).toBuilder().setRegion(0).clearReplicas().addReplicas("n1"));
        });
    assertThat(run().out())
        .startsWith("HEALTHY\n")
        .containsPattern("0 +\\(cluster metadata\\)")
        .containsPattern("3 +m \\.\\. ")
        .doesNotContain("t .. last");
  }

  @Test
  void theNewRegionOfASplitIsShownBeforeTheTopologyHasIt() {
    firstNodeReports(
        status -> {
          status.getTopologyBuilder().removeRegions(3);
          status
              .getTopologyBuilder()
              .getRegionsBuilder(2)
              .clearEnd()
              .setSplit(PlannedSplit.newBuilder().setAt(ByteString.copyFromUtf8("t")).setChild(4));
        });
    assertThat(run().out()).contains("t .. last");
  }

  /** The console shows how far it is. */
  @Test
  void theReplicaThatAPlanAddsIsInTheJson() {
    firstNodeReports(
        status -> {
          status.getTopologyBuilder().getNodesBuilder(0).addLabels("zone=a");
          status.getTopologyBuilder().getRegionsBuilder(0).setChange(change("n1", "n4"));
          status.getReplicasBuilder(0).setRowBytes(77);
        });
    assertThat(run("--json").out().replaceAll("\\s+", " "))
        .contains("\"labels\": [ \"zone=a\" ], \"up\": true, \"joinState\": \"joined\"")
        .contains("\"rowBytes\": 77")
        .contains("\"rowBytes\": null")
        .contains("\"incoming\": { \"node\": \"n4\", \"role\": \"down\", \"serving\": null")
        .contains("\"incoming\": null");
  }

  @Test
  void withoutPlansNothingIsShown() {
    firstNodeReports(status -> {});
    assertThat(run().out()).doesNotContain("UNDER WAY");
    assertThat(run("--json").out().replaceAll("\\s+", " ")).contains("\"plan\": null");
  }

  /** After a lost one was removed, and before another one is added. */
  @Test
  void aRegionWithTooFewReplicasIsNotHealthy() {
    Consumer<NodeStatus.Builder> twoOfThree =
        status -> {
          status.getTopologyBuilder().setReplicasPerRegion(3);
          status
              .getReplicasBuilder(0)
              .setConsensusEpoch(9)
              .clearReplicas()
              .addReplicas("n1")
              .addReplicas("n2");
        };
    firstNodeReports(twoOfThree);
    assertThat(run().out()).startsWith("DEGRADED: region 1 has 2 of 3 replicas\n");
    assertThat(run("--check").exitCode()).isEqualTo(1);
    firstNodeReports(
        status -> {
          twoOfThree.accept(status);
          status.getTopologyBuilder().removeNodes(2);
        });
    assertThat(run().out()).as("two nodes are too few for more").startsWith("HEALTHY\n");
  }

  @Test
  void aLostReplicaIsDistinguishedFromOneThatIsStarting() {
    firstNodeReports(
        status -> {
          status.clearReplicas();
          status.addLostReplicas(
              LostReplica.newBuilder()
                  .setRegion(2)
                  .setEpoch(1)
                  .setDamage("The file /d/log is damaged (at byte 5; 7 were durable)."));
        });
    assertThat(run().out())
        .contains("regions 1, 3, 4 have no replica on n1")
        .contains(
            "region 2 has lost its replica on n1 (The file /d/log is damaged (at byte 5; 7 were durable))")
        .containsPattern("2 +k \\.\\. m +n1 +lost +- +- +-\n");
  }

  private void firstNodeReports(Consumer<NodeStatus.Builder> change) {
    nodeReports(1, change);
  }

  private void nodeReports(int node, Consumer<NodeStatus.Builder> change) {
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

  private static ReplicaChange change(String from, String to) {
    return ReplicaChange.newBuilder().setFrom(from).setTo(to).build();
  }

  private CliRun run(String... options) {
    String[] arguments = new String[options.length + 2];
    arguments[0] = "status";
    arguments[1] = "--at=" + cluster.addresses();
    System.arraycopy(options, 0, arguments, 2, options.length);
    // The first request of a process may take longer than the status waits for a node.
    return await()
        .until(() -> CliRun.of(arguments), run -> !run.out().contains("no node responds"));
  }
}
