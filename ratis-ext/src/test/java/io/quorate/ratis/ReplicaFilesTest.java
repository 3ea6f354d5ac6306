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
import io.quorate.consensus.contract.LiveFiles;
import io.quorate.model.NodeId;
import io.quorate.ratis.patches.ConfigurationFile;
import io.quorate.ratis.patches.SnapshotMark;
import io.quorate.ratis.patches.VoteFile;
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
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of another replica, older ones, and files that cannot be read, of a replica that opens. */
class ReplicaFilesTest {
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
  void aFileThatCannotBeReadIsReported() throws IOException {
    cluster.stop(member);
    Path current = current(member);
    Path log = current.resolve(openLog(current));
    for (Path file :
        List.of(
            log, DurableEnd.file(current), VoteFile.in(current), ConfigurationFile.in(current))) {
      Path moved = Files.move(file, file.resolveSibling("moved"));
      Files.createDirectory(file);
      requireLost(file.toString());
      Files.delete(file);
      Files.move(moved, file);
    }
    requireStarts();
  }

  /** For example, the directories of two groups or nodes were mixed up. */
  @Test
  void theVotesOfAnotherReplicaAreReported() throws IOException {
    cluster.stop(member);
    Path file = VoteFile.in(current(member));
    byte[] content = Files.readAllBytes(file);
    Files.copy(VoteFile.in(current(other)), file, StandardCopyOption.REPLACE_EXISTING);
    requireLost(file + " is of the replica of region 1 at node " + other);
    Files.write(file, content);
    requireStarts();
  }

  @Test
  void votesThatAreOlderThanTheLogAreReported() throws IOException {
    cluster.stop(member);
    Path file = VoteFile.in(current(member));
    byte[] content = Files.readAllBytes(file);
    VoteFile.write(
        file,
        new VoteFile.Content(
            VoteFile.read(file).replica(),
            RaftStorageMetadata.valueOf(0, RaftPeerId.valueOf(other.value()))));
    requireLost(file + " is an older one");
    Files.write(file, content);
    requireStarts();
  }

  @Test
  void aLogThatIsOlderThanTheStateIsReported() throws IOException {
    cluster.stop(member);
    Path groups = directory.resolve(member.value()).resolve("groups");
    Path older = directory.resolve("older");
    copy(groups, older);
    cluster.start(member);
    propose("later");
    awaitEverything();
    cluster.node(member).machine().flush();
    cluster.stop(member);
    Path newer = Files.move(groups, directory.resolve("newer"));
    copy(older, groups);
    requireLost("The Raft log ends with entry");
    DurableFiles.deleteTree(groups);
    Files.move(newer, groups);
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
    Path groups = directory.resolve(member.value()).resolve("groups");
    Path meanwhile = directory.resolve("meanwhile");
    AtomicBoolean copied = new AtomicBoolean();
    INSTALLED.on(
        (failpoint, subject) -> {
          if (!copied.get()) {
            copy(groups, meanwhile);
            copied.set(true);
          }
        });
    cluster.start(member);
    await().atMost(PATIENCE).untilTrue(copied);
    INSTALLED.off();
    awaitEverything();
    cluster.stop(member);
    DurableFiles.deleteTree(groups);
    copy(meanwhile, groups);
    Path current = current(member);
    assertThat(openLog(current)).isEqualTo("log_inprogress_0");
    assertThat(SnapshotMark.file(current)).exists();

    requireStarts();
    assertThat(current.resolve("log_inprogress_0")).doesNotExist();
    assertThat(SnapshotMark.file(current)).doesNotExist();
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

  private boolean purged(NodeId node) {
    try {
      return LiveFiles.named(
              directory.resolve(node.value()),
              name -> name.startsWith("log_0-") || name.equals("log_inprogress_0"))
          .isEmpty();
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

  private Path current(NodeId node) throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve(node.value()))) {
      return files
          .filter(file -> file.getFileName().toString().equals("current"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static String openLog(Path current) throws IOException {
    try (Stream<Path> files = Files.list(current)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("log_inprogress_"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
