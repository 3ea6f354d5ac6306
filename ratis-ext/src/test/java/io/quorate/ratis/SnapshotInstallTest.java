package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots in the real engine, while the leader changes or a log appender fails. */
class SnapshotInstallTest {
  private static final Failpoint BEFORE_SEND = Failpoint.named("raft.append.before-send");
  private static final int ENTRIES = 40;
  private static final int COMMANDS_PER_ENTRY = 20;

  @TempDir Path directory;

  private final List<String> expected = new ArrayList<>();
  private CompletableFuture<Void> exports = CompletableFuture.completedFuture(null);
  private ContractCluster cluster;

  @AfterEach
  void closeAndCheck() {
    BEFORE_SEND.off();
    exports.complete(null);
    cluster.close();
    assertThat(cluster.violations()).isEmpty();
  }

  @Test
  void aReplicaCatchesUpWhenTheLeaderChangesDuringASnapshot() throws IOException {
    cluster = start();
    NodeId leader = cluster.awaitServingId();
    List<NodeId> others =
        cluster.running().keySet().stream().filter(id -> !id.equals(leader)).toList();
    NodeId stopped = others.get(0);
    NodeId successor = others.get(1);
    cluster.stop(stopped);
    write(cluster.node(leader));
    cluster.node(leader).machine().flush();
    await().atMost(PATIENCE).until(() -> !hasTheWholeLog(leader));
    assertThat(hasTheWholeLog(successor)).isTrue();

    exports = cluster.node(leader).machine().holdExports();
    cluster.start(stopped);
    await().atMost(PATIENCE).until(() -> cluster.node(leader).machine().exports() > 0);
    transfer(leader, successor);
    proposeAndExpect("under the next leader");
    exports.complete(null);

    awaitEverythingAt(stopped);
  }

  /** After an error, Ratis' log appender has lost the position of its follower. */
  @Test
  void aReplicaThatIsNotBehindKeepsItsStateAndItsLog() throws IOException {
    cluster = start();
    NodeId leader = cluster.awaitServingId();
    NodeId follower =
        cluster.running().keySet().stream()
            .filter(id -> !id.equals(leader))
            .findFirst()
            .orElseThrow();
    write(cluster.node(leader));
    awaitEverythingAt(follower);
    cluster.node(leader).machine().flush();
    await().atMost(PATIENCE).until(() -> !hasTheWholeLog(leader));

    AtomicBoolean failed = new AtomicBoolean();
    BEFORE_SEND.on(
        (failpoint, subject) -> {
          if (subject instanceof AppendEntriesRequestProto request
              && follower.value().equals(request.getServerRequest().getReplyId().toStringUtf8())
              && failed.compareAndSet(false, true)) {
            throw new IllegalStateException("The test breaks this log appender.");
          }
        });
    await().atMost(PATIENCE).untilTrue(failed);
    for (int i = 0; i < 10; i++) {
      proposeAndExpect("after the error " + i);
    }
    awaitEverythingAt(follower);

    assertThat(cluster.node(follower).machine().installs()).isZero();
    assertThat(cluster.node(leader).machine().exports()).isZero();
  }

  private void awaitEverythingAt(NodeId node) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(cluster.node(node).machine().commands()).isEqualTo(expected));
  }

  private ContractCluster start() throws IOException {
    EngineSettings settings = new EngineSettings("raft", FastSettings.with(Map.of()));
    return new ContractCluster(new RatisEngineProvider(), settings, directory, 3).startAll();
  }

  /** Writes enough for the log to be purged. */
  private void write(Node node) {
    for (int entry = 0; entry < ENTRIES; entry++) {
      List<CompletableFuture<ProposeResult>> outcomes = new ArrayList<>();
      for (int i = 0; i < COMMANDS_PER_ENTRY; i++) {
        String command = "c" + entry + "." + i + "-" + "x".repeat(1000);
        expected.add(command);
        outcomes.add(ContractCluster.proposeAt(node, command));
      }
      outcomes.forEach(CompletableFuture::join);
    }
  }

  private void proposeAndExpect(String command) {
    cluster.propose(command);
    expected.add(command);
  }

  private void transfer(NodeId from, NodeId to) {
    Leadership leadership = cluster.node(from).group().control(Leadership.class).orElseThrow();
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              leadership
                  .transferTo(to, Duration.ofSeconds(5))
                  .handle((done, failure) -> failure == null)
                  .toCompletableFuture()
                  .join();
              return cluster.node(to).group().view().serving();
            });
  }

  private boolean hasTheWholeLog(NodeId node) throws IOException {
    return ((RatisEngine) cluster.node(node).engine())
            .division(cluster.spec())
            .getRaftLog()
            .getStartIndex()
        == 0;
  }
}
