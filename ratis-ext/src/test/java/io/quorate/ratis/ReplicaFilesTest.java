package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.DurableEnd;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.ratis.guards.ConfigurationFile;
import io.quorate.ratis.guards.VoteFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that cannot be read, of a replica that opens. */
class ReplicaFilesTest {
  @TempDir Path directory;

  private final List<String> expected = new ArrayList<>();
  private ContractCluster cluster;

  /** A member that does not lead when the test begins. */
  private NodeId member;

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
    awaitEverything();
  }

  @AfterEach
  void stop() {
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
}
