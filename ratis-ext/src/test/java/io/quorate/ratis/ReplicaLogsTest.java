package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.DurableEnd;
import io.quorate.common.DurableFiles;
import io.quorate.common.Failpoint;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that is older than the state of its replica. */
class ReplicaLogsTest {
  private static final Failpoint INSTALLED = Failpoint.named("raft.snapshot.installed");

  @TempDir Path directory;

  private final List<String> expected = new ArrayList<>();
  private ContractCluster cluster;

  /** A member that does not lead when the test begins. */
  private NodeId member;

  private NodeId other;

  @BeforeEach
  void start() throws IOException {
    EngineSettings settings = new EngineSettings("raft", FastSettings.with(Map.of()));
    cluster = new ContractCluster(new RatisEngineProvider(), settings, directory, 3).startAll();
    propose("first");
    NodeId leader = cluster.awaitServingId();
    member =
        cluster.running().keySet().stream()
            .filter(id -> !id.equals(leader))
            .findFirst()
            .orElseThrow();
    other = leader;
    awaitEverything();
  }

  @AfterEach
  void stop() {
    INSTALLED.off();
    cluster.close();
    assertThat(cluster.violations()).isEmpty();
  }

  @Test
  void aLogThatIsOlderThanTheStateIsReported() throws IOException {
    cluster.stop(member);
    Path older = directory.resolve("older");
    copyLog(node(), older);
    cluster.start(member);
    propose("later");
    awaitEverything();
    cluster.node(member).machine().flush();
    cluster.stop(member);
    Path newer = directory.resolve("newer");
    copyLog(node(), newer);
    copyLog(older, node());
    requireLost("the log is an older one");
    copyLog(newer, node());
    requireStarts();
  }

  /** It has what it lacks in its log in its state. */
  @Test
  void aReplicaThatEndsBetweenASnapshotAndTheEndOfItsLogStartsAgain() throws IOException {
    cluster.stop(member);
    for (int entry = 0; entry < 40; entry++) {
      write(entry);
    }
    cluster.running().values().forEach(node -> node.machine().flush());
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.running().keySet().stream().allMatch(this::purged));
    Path meanwhile = directory.resolve("meanwhile");
    AtomicBoolean copied = new AtomicBoolean();
    INSTALLED.on(
        (failpoint, subject) -> {
          if (!copied.get()) {
            copyLog(node(), meanwhile);
            copied.set(true);
          }
        });
    cluster.start(member);
    await().atMost(PATIENCE).untilTrue(copied);
    INSTALLED.off();
    awaitEverything();
    cluster.stop(member);
    copyLog(meanwhile, node());
    requireStarts();
  }

  private void write(int entry) {
    List<CompletableFuture<ProposeResult>> outcomes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      String command = "c" + entry + "." + i + "-" + "x".repeat(1000);
      expected.add(command);
      outcomes.add(ContractCluster.proposeAt(cluster.awaitServing(), command));
    }
    outcomes.forEach(CompletableFuture::join);
  }

  private boolean purged(NodeId id) {
    RatisEngine engine = (RatisEngine) cluster.node(id).engine();
    try {
      return engine.division(cluster.spec()).getRaftLog().getStartIndex() > 20;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void requireLost(String problem) {
    assertThatThrownBy(() -> cluster.start(member))
        .isInstanceOf(DamagedReplicaException.class)
        .hasMessageContaining(problem);
  }

  private void requireStarts() throws IOException {
    cluster.start(member);
    propose("restored");
    awaitEverything();
  }

  private void propose(String command) {
    cluster.propose(command);
    expected.add(command);
  }

  private void awaitEverything() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(cluster.node(member).machine().commands()).isEqualTo(expected));
  }

  private Path node() {
    return directory.resolve(member.value());
  }

  /** The log of a node in place of that of another, or of none; of a running node, as it is. */
  private static void copyLog(Path from, Path to) {
    try {
      DurableFiles.deleteTree(to.resolve("log"));
      Files.createDirectories(to.resolve("log"));
      // First, so that it states nothing that the copy does not have.
      Files.copy(DurableEnd.file(from), DurableEnd.file(to), StandardCopyOption.REPLACE_EXISTING);
      try (Stream<Path> files = Files.list(from.resolve("log"))) {
        for (Path file : files.toList()) {
          Files.copy(file, to.resolve("log").resolve(file.getFileName()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
