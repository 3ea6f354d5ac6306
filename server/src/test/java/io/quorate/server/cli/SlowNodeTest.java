package io.quorate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node has as long as the verb; it is not down because it is slow. */
class SlowNodeTest {
  /** Longer than an attempt at a read or write waits for a node. */
  private static final Executor LATE =
      CompletableFuture.delayedExecutor(2500, TimeUnit.MILLISECONDS);

  private static void describeLate(FakeRequest request) {
    LATE.execute(() -> describe(request));
  }

  private static void describe(FakeRequest request) {
    Replica metadata =
        Replica.newBuilder()
            .setRegion(0)
            .setEpoch(1)
            .addReplicas("n1")
            .setLeader("n1")
            .setServing(true)
            .build();
    Reaction.changedStatus(
            status -> status.setJoinState(NodeStatus.JoinState.JOINED).addReplicas(metadata))
        .to(request);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status --check",
        "node add ADDRESS --no-wait",
        "move-leader 1 n1",
        "region split h --no-wait"
      })
  void theVerbWaitsForItAsLongAsItIsToldTo(String line) {
    try (FakeCluster cluster = FakeCluster.start(1)) {
      cluster.node(1).always(Opcode.STATUS, SlowNodeTest::describeLate);
      List<String> arguments = new ArrayList<>();
      for (String word : line.split(" ")) {
        arguments.add(word.replace("ADDRESS", cluster.addresses()));
      }
      arguments.add("--at=" + cluster.addresses());
      arguments.add("--timeout=1m");
      CliRun run = CliRun.of(arguments.toArray(String[]::new));
      assertThat(run.exitCode()).as(run.err() + run.out()).isZero();
    }
  }

  @Test
  void aGreetingMayTakeLongerThanASilenceOtherwise() {
    try (FakeCluster cluster = FakeCluster.start(1)) {
      Executor veryLate = CompletableFuture.delayedExecutor(4500, TimeUnit.MILLISECONDS);
      cluster.node(1).always(Opcode.HELLO, request -> veryLate.execute(request::serve));
      CliRun run = CliRun.of("status", "--check", "--timeout=1m", "--at=" + cluster.addresses());
      assertThat(run.exitCode()).as(run.err() + run.out()).isZero();
    }
  }

  /** Others have responded, and one of them can serve the request. */
  @Test
  void aNodeThatDoesNotRespondHoldsUpNoChange() {
    try (FakeCluster cluster = FakeCluster.start(2)) {
      cluster.node(1).always(Opcode.STATUS, SlowNodeTest::describe);
      cluster.node(2).always(Opcode.STATUS, Reaction.swallow());
      // If it waited for the whole time, none would be left for the request.
      CliRun run =
          CliRun.of(
              "node", "drain", "n2", "--no-wait", "--timeout=8s", "--at=" + cluster.addresses());
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(cluster.node(1).count(Opcode.CHANGE_NODES)).isEqualTo(1);
    }
  }
}
