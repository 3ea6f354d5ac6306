package io.quorate.rabia.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.DamagedLogException;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.KnownNodes;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.SettingException;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.consensus.contract.RecordedReplicas;
import io.quorate.consensus.contract.RecordingMachine;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.replication.log.LogPoints;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour that the contract does not require of every engine. */
class RabiaEngineTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  @TempDir Path directory;

  private ContractCluster cluster;

  @AfterEach
  void close() {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** P1, S3: without its log the replica could contradict messages that it has sent. */
  @Test
  void aReplicaWithAnEmptyDiskAndAnOldIdNeverVotes() throws IOException {
    start(3, Map.of());
    cluster.propose("remembered");
    cluster.stop(N3);
    deleteRecursively(directory.resolve("n3"));
    cluster.forgetBegun(N3);
    cluster.start(N3);
    cluster.propose("without it");
    cluster.stop(N2);
    // A replica with its log and one without its log are no majority.
    CompletableFuture<ProposeResult> write =
        ContractCluster.proposeAt(cluster.node(N1), "not by these two");
    assertThatThrownBy(
            () ->
                cluster
                    .node(N1)
                    .group()
                    .readIndex(Guarantee.LINEARIZABLE, KeyScope.range(KeyRange.ALL))
                    .toCompletableFuture()
                    .join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class);
    assertThat(write.isDone() && !write.isCompletedExceptionally()).isFalse();
    assertThat(cluster.node(N3).group().view().serving()).isFalse();
    cluster.start(N2);
    cluster.propose("by those who remember");
    // One replica suffices for the acknowledgement. The write before may be decided afterwards.
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(cluster.node(N1).machine().commands())
                    .startsWith("remembered", "without it")
                    .contains("by those who remember"));
    assertThat(cluster.violations()).isEmpty();
  }

  /**
   * P1: a missing log is not taken for a new one; nor is one without the file that states its end.
   */
  @Test
  void aNodeWithoutItsLogDoesNotStart() throws IOException {
    start(3, Map.of());
    cluster.propose("remembered");
    cluster.stop(N3);
    Path data = directory.resolve("n3");
    Path moved = Files.move(data.resolve("log"), data.resolve("moved"));
    assertThatThrownBy(() -> cluster.start(N3))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(data.resolve("log").toString())
        .hasMessageContaining("has no files");
    Files.move(moved, data.resolve("log"));

    Path end = data.resolve("durable-end");
    byte[] content = Files.readAllBytes(end);
    Files.delete(end);
    assertThatThrownBy(() -> cluster.start(N3))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(end.toString())
        .hasMessageContaining("missing");
    Files.write(end, Arrays.copyOf(content, content.length - 1));
    assertThatThrownBy(() -> cluster.start(N3))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(end.toString());
    Files.write(end, content);
    cluster.start(N3);
    cluster.propose("restored");
    assertThat(cluster.violations()).isEmpty();
  }

  /** P1: the node knows which replicas it had, also if all files of the engine are gone. */
  @Test
  void aReplicaThatIsNotInTheLogDoesNotStart() throws IOException {
    start(3, Map.of());
    cluster.propose("remembered");
    cluster.stop(N3);
    deleteRecursively(directory.resolve("n3"));
    assertThatThrownBy(() -> cluster.start(N3))
        .isInstanceOf(DamagedReplicaException.class)
        .hasMessageContaining(directory.resolve("n3").resolve("log").toString())
        .hasMessageContaining("no records of region 1");
  }

  @Test
  void aNodeWithALogFileOfAnotherNodeDoesNotStart() throws IOException {
    start(3, Map.of());
    cluster.propose("remembered");
    cluster.stop(N3);
    Path segment = directory.resolve("n3/log/00000001.log");
    Path moved = Files.move(segment, directory.resolve("moved"));
    Files.copy(directory.resolve("n1/log/00000001.log"), segment);
    assertThatThrownBy(() -> cluster.start(N3))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(segment.toString())
        .hasMessageContaining("node n1");
    Files.move(moved, segment, StandardCopyOption.REPLACE_EXISTING);
    cluster.start(N3);
    cluster.propose("restored");
    assertThat(cluster.violations()).isEmpty();
  }

  /** P1: the process ended, and the newest segment lost records that were acknowledged. */
  @Test
  void aReplicaWhoseLogWasCutIsLostAlsoAtLaterStarts() throws IOException {
    start(3, Map.of());
    cluster.propose("remembered");
    await().atMost(TIMEOUT).until(() -> cluster.node(N3).machine().commands().size() == 1);
    cluster.stop(N3);
    Path segment = directory.resolve("n3/log/00000001.log");
    byte[] content = Files.readAllBytes(segment);
    int end = content.length;
    while (content[end - 1] == 0) {
      end--;
    }
    Files.write(segment, Arrays.copyOf(content, end - 20));
    for (int start = 0; start < 2; start++) {
      assertThatThrownBy(() -> cluster.start(N3))
          .isInstanceOf(DamagedReplicaException.class)
          .hasMessageContaining(segment.toString());
      // It is remembered.
      Files.write(segment, content);
    }
  }

  /** P1: a command that the log cannot store must not be acknowledged. */
  @Test
  void aFailedLogIsFatalAndStopsAcknowledgements() throws IOException {
    start(1, Map.of());
    cluster.propose("held");
    CompletableFuture<ProposeResult> write;
    try {
      LogPoints.BEFORE_SYNC.on(
          (point, subject) -> {
            throw new IOException("the disk is gone");
          });
      write = ContractCluster.proposeAt(cluster.node(N1), "not held");
      await().atMost(TIMEOUT).until(() -> !cluster.violations().isEmpty());
    } finally {
      LogPoints.BEFORE_SYNC.off();
    }
    assertThat(cluster.violations()).singleElement().asString().startsWith("fatal: ");
    cluster.stop(N1);
    assertThat(write).isCompletedExceptionally();
    cluster.start(N1);
    cluster.propose("later");
    assertThat(cluster.node(N1).machine().commands()).startsWith("held").endsWith("later");
  }

  @Test
  void commandsBeyondTheQueueCapacityAreRefusedAtOnce() throws IOException {
    start(1, Map.of("queue-commands-max", "4", "batches-in-flight-max", "1"));
    cluster.propose("first");
    Node node = cluster.node(N1);
    List<CompletableFuture<ProposeResult>> outcomes = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      outcomes.add(ContractCluster.proposeAt(node, "c" + i));
    }
    List<Throwable> refusals =
        outcomes.stream()
            .map(outcome -> outcome.handle((done, failure) -> failure).join())
            .filter(failure -> failure != null)
            .toList();
    assertThat(refusals)
        .isNotEmpty()
        .allSatisfy(
            failure -> assertThat(failure).isInstanceOf(ConsensusException.Overloaded.class));
    // Refused commands have no effect; all others are applied.
    assertThat(node.machine().commands()).hasSize(1 + 2000 - refusals.size());
  }

  @Test
  void readsByConsensusReachNoStateMachineAndTakeASlot() throws IOException {
    start(3, Map.of("chooser", "published"));
    ProposeResult before = cluster.propose("a");
    Node node = cluster.awaitServing();
    Position read =
        node.group()
            .readIndex(Guarantee.LINEARIZABLE, KeyScope.range(KeyRange.ALL))
            .toCompletableFuture()
            .join();
    assertThat(read).isGreaterThan(before.position());
    ProposeResult after = node.group().propose(command("b")).toCompletableFuture().join();
    assertThat(after.position()).isGreaterThan(read);
    assertThat(node.machine().commands()).containsExactly("a", "b");
  }

  @Test
  void theErrorOfAPortInUseNamesThePort() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      EngineContext host =
          new EngineContext(
              UUID.randomUUID(),
              N1,
              new InetSocketAddress("127.0.0.1", taken.getLocalPort()),
              new KnownNodes(node -> List.of(), NodeDisks.unregistered()),
              directory,
              EngineSettings.defaults("rabia"),
              MetricsSink.NONE,
              Optional.empty(),
              new RecordedReplicas(),
              fatal -> {});
      assertThatThrownBy(() -> new RabiaEngineProvider().start(host))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot listen on 127.0.0.1:" + taken.getLocalPort());
    }
  }

  @Test
  void aClosedEngineOpensNoGroup() throws IOException {
    start(1, Map.of());
    Node node = cluster.node(N1);
    ConsensusEngine engine = node.engine();
    engine.close();
    engine.close();
    assertThatThrownBy(
            () ->
                engine.open(
                    new GroupSpec(
                        UUID.randomUUID(),
                        new GroupId(2),
                        cluster.firstMembers(),
                        Optional.empty()),
                    node.machine()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void closingAnEngineEndsAllItsThreads() throws IOException {
    start(3, Map.of());
    cluster.propose("x");
    cluster.close();
    cluster = null;
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(
                        Thread.getAllStackTraces().keySet().stream()
                            .map(Thread::getName)
                            .filter(
                                name ->
                                    name.contains("rabia") || name.startsWith("quorate-node-log")))
                    .isEmpty());
  }

  @Test
  void aFrameMustHoldTheLongestCommand() {
    EngineSettings settings =
        new EngineSettings("rabia", Map.of("command-size-max", "8MiB", "frame-size-max", "8MiB"));
    assertThatThrownBy(() -> new RabiaEngineProvider().capabilities(settings))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("rabia.frame-size-max")
        .hasMessageContaining("rabia.command-size-max");
  }

  private void start(int nodes, Map<String, String> settings) throws IOException {
    cluster =
        new ContractCluster(
            new RabiaEngineProvider(), new EngineSettings("rabia", settings), directory, nodes);
    cluster.startAll().awaitServing();
  }

  private static Command command(String text) {
    return new Command(RecordingMachine.utf8(text));
  }

  private static void deleteRecursively(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
