package io.quorate.server.cli.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.model.Key;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.MergeRegionResponse;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.NodeStatus.JoinState;
import io.quorate.protocol.wire.v1.PlannedMerge;
import io.quorate.protocol.wire.v1.Replica;
import io.quorate.server.cli.CliRun;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The verb {@code region merge}, against a node that serves region 0. */
class RegionMergeTest {
  private static final PlannedMerge PLAN =
      PlannedMerge.newBuilder().setNumber(3).setAbsorbed(2).setInto(1).build();

  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(1, "m");
    cluster.node(1).always(Opcode.STATUS, report(status -> {}));
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void endsWhenNoRegionBeginsAtTheKeyAnyMore() {
    onMerge(this::plan);
    // The status before the merge, and that which finds the node that serves region 0.
    cluster.node(1).next(Opcode.STATUS, report(status -> {}));
    cluster.node(1).next(Opcode.STATUS, report(status -> {}));
    cluster.node(1).next(Opcode.STATUS, report(RegionMergeTest::isPlanned));
    cluster
        .node(1)
        .next(
            Opcode.STATUS,
            request -> {
              cluster.merge("m");
              report(status -> {}).to(request);
            });
    CliRun run = run("merge", "m");
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).isEqualTo("Region 1 has the keys from m on.\n");
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void failsIfNoRegionBeginsAtTheKey() {
    onMerge(this::plan);
    CliRun run = run("merge", "78", "--hex");
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo("No region begins at \"x\", which is in region 2; there is nothing to merge.\n");
    assertThat(run.exitCode()).isEqualTo(5);
  }

  @Test
  void doesNotWaitIfThePlanIsEnough() {
    onMerge(this::plan);
    CliRun run = run("merge", "m", "--no-wait");
    assertThat(run.out()).isEqualTo("Region 1 will have the keys from m on.\n");
    assertThat(run.exitCode()).isZero();
  }

  /** The plan itself is in no report: it may come and go between two of them. */
  @Test
  void failsIfTheMergeIsGivenUp() {
    onMerge(
        request -> {
          cluster.raiseEpoch(2);
          cluster.raiseEpoch(2);
          plan(request);
        });
    CliRun run = run("merge", "m");
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "The merge was given up, because the region that begins at m has become too large for"
                + " it; both regions stay.\n");
  }

  @Test
  void failsIfTheMergeIsInvalid() {
    onMerge(Reaction.refuse(Status.INVALID));
    CliRun run = run("merge", "m");
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.err()).contains("scripted INVALID").hasLineCount(1);
    assertThat(run("merge", "").exitCode()).isEqualTo(2);
    assertThat(run("merge", "xyz", "--hex").exitCode()).isEqualTo(2);
  }

  private void onMerge(Reaction reaction) {
    cluster.node(1).next(Opcode.MERGE_REGION, reaction);
  }

  /** Responds with the region before the key, or with that which has it. */
  private void plan(FakeRequest request) {
    boolean begins = request.mergeAt().equals(Key.utf8("m"));
    request.respond(
        Status.OK,
        Unpooled.wrappedBuffer(
            MergeRegionResponse.newBuilder()
                .setRegion(begins ? 1 : 2)
                .setNoneBegins(!begins)
                .build()
                .toByteArray()));
  }

  private static void isPlanned(NodeStatus.Builder status) {
    status.getTopologyBuilder().getRegionsBuilderList().forEach(region -> region.setMerge(PLAN));
  }

  private static Reaction report(Consumer<NodeStatus.Builder> change) {
    return Reaction.changedStatus(
        status -> {
          status.setJoinState(JoinState.JOINED);
          status.addReplicas(
              Replica.newBuilder().setRegion(0).setEpoch(1).addReplicas("n1").setServing(true));
          change.accept(status);
        });
  }

  private CliRun run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("region"));
    all.addAll(List.of(arguments));
    all.add("--at=" + cluster.addresses());
    return CliRun.of(all.toArray(String[]::new));
  }
}
