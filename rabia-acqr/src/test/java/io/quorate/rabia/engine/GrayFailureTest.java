package io.quorate.rabia.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.model.NodeId;
import io.quorate.replication.log.LogPoints;
import io.quorate.replication.log.segment.SegmentStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group continues while one live replica is impaired, and that replica recovers. */
class GrayFailureTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  @TempDir Path directory;

  private final CompletableFuture<Void> healed = new CompletableFuture<>();
  private ContractCluster cluster;

  @AfterEach
  void close() {
    LogPoints.BEFORE_SYNC.off();
    healed.complete(null);
    if (cluster != null) {
      cluster.close();
    }
  }

  private void start(Map<String, String> settings) throws IOException {
    cluster =
        new ContractCluster(
            new RabiaEngineProvider(), new EngineSettings("rabia", settings), directory, 3);
    cluster.startAll();
    awaitServing(N1);
    awaitServing(N2);
    awaitServing(N3);
  }

  private void awaitServing(NodeId node) {
    await().atMost(TIMEOUT).until(() -> cluster.node(node).group().view().serving());
  }

  private void propose(NodeId node, String prefix, int count) {
    for (int i = 0; i < count; i++) {
      ContractCluster.proposeAt(cluster.node(node), prefix + i).join();
    }
  }

  private void awaitEqualStates() {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              assertThat(cluster.node(N2).machine().commands())
                  .isEqualTo(cluster.node(N1).machine().commands());
              assertThat(cluster.node(N3).machine().commands())
                  .isEqualTo(cluster.node(N1).machine().commands());
            });
    assertThat(cluster.violations()).isEmpty();
  }

  @Test
  void aHungFsyncBlocksNoOtherReplicaAndItsReplicaDoesNotServe() throws IOException {
    start(Map.of());
    propose(N1, "before", 10);
    LogPoints.BEFORE_SYNC.on(
        (point, subject) -> {
          if (((SegmentStart) subject).owner().node().equals(N3)) {
            healed.join();
          }
        });

    propose(N1, "while it hangs", 200);
    propose(N2, "from the other one", 200);
    await().atMost(TIMEOUT).until(() -> !cluster.node(N3).group().view().serving());

    healed.complete(null);
    awaitEqualStates();
    awaitServing(N3);
  }

  @Test
  void aFullStateMachineBlocksNoOtherReplicaAndDoesNotServe() throws IOException {
    start(Map.of());
    CompletableFuture<Void> capacity = cluster.node(N3).machine().exhaustCapacity();
    ContractCluster.proposeAt(cluster.node(N3), "may be taken");
    // This is the last batch that is accepted; the batches after it wait.
    await().atMost(TIMEOUT).until(() -> cluster.node(N3).machine().batchesBeyondCapacity() > 0);
    CompletableFuture<ProposeResult> stuck =
        ContractCluster.proposeAt(cluster.node(N3), "waits for room");

    propose(N1, "while it is full", 400);
    propose(N2, "from the other one", 400);
    await().atMost(TIMEOUT).until(() -> !cluster.node(N3).group().view().serving());
    // The client retries at another node, which has the command.
    assertThatThrownBy(stuck::join).hasCauseInstanceOf(ConsensusException.Indeterminate.class);

    capacity.complete(null);
    propose(N1, "after", 10);
    awaitEqualStates();
    awaitServing(N3);
  }

  /** The writes of the other replicas do not fill the disk to the last byte. */
  @Test
  void aDiskBelowItsReserveBlocksNoOtherReplicaAndIsNotWritten() throws IOException {
    start(Map.of());
    propose(N1, "before", 10);
    cluster.stop(N3);
    cluster.start(N3, new EngineSettings("rabia", Map.of("free-space-reserve", "4000000GiB")));
    long bytes = awaitSizeAfterStart(directory.resolve("n3").resolve("log"));

    propose(N1, "while it is full", 500);

    assertThat(bytesBelow(directory.resolve("n3").resolve("log"))).isEqualTo(bytes);
    assertThat(cluster.node(N3).group().view().serving()).isFalse();
    cluster.stop(N3);
    cluster.start(N3);
    awaitEqualStates();
    awaitServing(N3);
  }

  /** Waits until the replica has written the records of its start and checked the disk. */
  private static long awaitSizeAfterStart(Path directory) {
    AtomicLong last = new AtomicLong();
    await()
        .atMost(TIMEOUT)
        .during(Duration.ofSeconds(1))
        .until(
            () -> {
              long now = bytesBelow(directory);
              return last.getAndSet(now) == now;
            });
    return last.get();
  }

  private static long bytesBelow(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** The slots after a snapshot are still in the logs of the others when it is installed. */
  @Test
  @Tag("slow")
  void aReplicaThatNeedsASnapshotCatchesUpUnderLoad() throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put("slots-retained", "16");
    settings.put("segment-size", "64KiB");
    settings.put("state-interval", "10ms");
    start(settings);
    cluster.stop(N3);
    AtomicBoolean stop = new AtomicBoolean();
    CompletableFuture<Void> load = CompletableFuture.runAsync(() -> proposeUntil(stop));
    CompletableFuture<Void> firstGate = cluster.node(N1).machine().holdExports();
    CompletableFuture<Void> secondGate = cluster.node(N2).machine().holdExports();
    awaitSlots(2_000);

    cluster.start(N3);
    await().atMost(TIMEOUT).until(() -> exports() > 0);
    awaitSlots(cluster.node(N1).machine().applied().index() + 2_000);
    firstGate.complete(null);
    secondGate.complete(null);

    await().atMost(TIMEOUT).until(() -> lag() < 256);
    awaitServing(N3);
    stop.set(true);
    load.join();
    awaitEqualStates();
    assertThat(cluster.node(N3).machine().installs()).isEqualTo(1);
    assertThat(exports()).isEqualTo(1);
  }

  /**
   * The core is ahead of the state, and retains none of the slots between the two when the export
   * ends. They must be executed by the receiver.
   */
  @Test
  void aSnapshotOfReplicasWithALaggingStateLosesNothing() throws IOException {
    start(Map.of("slots-retained", "16", "segment-size", "64KiB", "state-interval", "10ms"));
    cluster.stop(N3);
    for (int i = 0; i < 30; i++) {
      propose(N1, "x".repeat(1_000) + i, 10);
      cluster.node(N1).machine().flush();
      cluster.node(N2).machine().flush();
    }
    awaitCommands(300);
    CompletableFuture<Void> firstGate = cluster.node(N1).machine().holdExports();
    CompletableFuture<Void> secondGate = cluster.node(N2).machine().holdExports();
    CompletableFuture<Void> firstStall = cluster.node(N1).machine().stallApply();
    CompletableFuture<Void> secondStall = cluster.node(N2).machine().stallApply();
    proposeWithoutResults(300, 5);

    cluster.start(N3);
    await().atMost(TIMEOUT).until(() -> exports() > 0);
    proposeWithoutResults(305, 40);
    firstGate.complete(null);
    secondGate.complete(null);
    await().atMost(TIMEOUT).until(() -> cluster.node(N3).machine().installs() > 0);

    firstStall.complete(null);
    secondStall.complete(null);
    awaitEqualStates();
    assertThat(cluster.node(N3).machine().commands()).hasSize(345);
  }

  /** Proposes commands in slots of their own. */
  private void proposeWithoutResults(int before, int count) {
    for (int i = 1; i <= count; i++) {
      ContractCluster.proposeAt(cluster.node(N1), "without result " + (before + i));
      awaitCommands(before + i);
    }
  }

  private void awaitCommands(int count) {
    await()
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(5))
        .until(
            () ->
                cluster.node(N1).machine().commands().size() == count
                    && cluster.node(N2).machine().commands().size() == count);
  }

  private int exports() {
    return cluster.node(N1).machine().exports() + cluster.node(N2).machine().exports();
  }

  private long lag() {
    return cluster.node(N1).machine().applied().index()
        - cluster.node(N3).machine().applied().index();
  }

  private void awaitSlots(long slots) {
    await().atMost(TIMEOUT).until(() -> cluster.node(N1).machine().applied().index() > slots);
  }

  /** Fills log segments, and flushes the states so that the logs are truncated continuously. */
  private void proposeUntil(AtomicBoolean stop) {
    String padding = "x".repeat(200);
    Node first = cluster.node(N1);
    Node second = cluster.node(N2);
    for (int i = 0; !stop.get(); i++) {
      try {
        ContractCluster.proposeAt(i % 2 == 0 ? first : second, i + padding).join();
      } catch (CompletionException e) {
        // A command may be refused while the third node stops or starts.
        continue;
      }
      if (i % 50 == 0) {
        first.machine().flush();
        second.machine().flush();
      }
    }
  }
}
