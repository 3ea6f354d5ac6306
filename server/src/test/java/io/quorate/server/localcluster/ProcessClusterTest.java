package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Real processes, from their start to their end. */
@Timeout(300)
class ProcessClusterTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final Shape ONE_NODE = new Shape(1, 1, "raft");

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private ClusterPlan plan;

  @BeforeEach
  void choosePorts() {
    plan = ClusterPlan.of(directory, "dev", ONE_NODE, new Ports.Free());
  }

  @Test
  @Tag("slow")
  void dataSurvivesAPauseAndARestartByAnotherCommand() throws IOException, InterruptedException {
    try (ProcessCluster cluster = ProcessCluster.of(plan)) {
      cluster.start();
      cluster.awaitServing(TIMEOUT);
      NodeProcess node = cluster.nodes().get(0);
      try (QuorateClient client = connect(Duration.ofSeconds(60))) {
        client.put("colour", "green");
      }
      try (QuorateClient shortDeadline = connect(Duration.ofSeconds(3))) {
        node.pause();
        assertThatThrownBy(() -> shortDeadline.get("colour"))
            .isInstanceOf(UnavailableException.class);
        node.resume();
      }
      assertThat(readColour()).contains("green");
    }
    assertThat(ProcessFile.read(plan.nodes().get(0).processFile())).isEmpty();

    assertThat(run("--data=" + directory, "--detach")).as(err::toString).isZero();
    assertThat(out.toString()).contains(plan.clientAddresses(), directory.toString());
    assertThat(readColour()).contains("green");

    assertThat(run("--data=" + directory)).isEqualTo(2);
    assertThat(err.toString()).contains("runs in " + directory + " already").hasLineCount(1);
    assertThat(run("--data=" + directory, "--fresh")).isEqualTo(2);
    assertThat(readColour()).as("data of nodes that run").contains("green");

    assertThat(run("stop", "--data=" + directory)).isZero();
    assertThat(out.toString()).contains("Stopped 1 node.");
    assertThat(ProcessFile.read(plan.nodes().get(0).processFile())).isEmpty();
  }

  @Test
  @Tag("slow")
  void aNodeIsPausedKilledAndRestarted() throws IOException {
    plan.writeConfigurations();
    assertThat(run("--data=" + directory, "--detach")).as(err::toString).isZero();
    try (QuorateClient client = connect(Duration.ofSeconds(60))) {
      client.put("colour", "green");
    }
    try (QuorateClient shortDeadline = connect(Duration.ofSeconds(3))) {
      assertThat(run("pause", "n1", "--data=" + directory)).isZero();
      assertThatThrownBy(() -> shortDeadline.get("colour"))
          .isInstanceOf(UnavailableException.class);
    }
    assertThat(run("start", "n1", "--data=" + directory)).isZero();
    assertThat(readColour()).contains("green");

    assertThat(run("kill", "n1", "--data=" + directory)).isZero();
    assertThat(out.toString())
        .contains("start it again with: quorate dev start n1 --data " + directory);
    assertThat(run("kill", "n1", "--data=" + directory)).isEqualTo(2);
    assertThat(err.toString()).isEqualToIgnoringNewLines("Node n1 does not run.");

    assertThat(run("start", "n1", "--data=" + directory)).as(err::toString).isZero();
    assertThat(readColour()).contains("green");
    assertThat(run("kill", "n9", "--data=" + directory)).isEqualTo(2);
    assertThat(err.toString()).contains("There is no node n9; there are n1.");
    // A paused process stops gracefully, too.
    assertThat(run("pause", "n1", "--data=" + directory)).isZero();
    assertThat(run("stop", "--data=" + directory)).isZero();
    assertThat(out.toString()).endsWith("Stopped 1 node.\n");
  }

  @Test
  void aNodeThatDevDidNotStartIsReported() throws IOException {
    plan.writeConfigurations();
    Process server = java("server", "--config", plan.nodes().get(0).configFile().toString());
    try {
      await("use of the data directory")
          .atMost(TIMEOUT)
          .until(() -> new LocalNode(plan.nodes().get(0)).isInUse());
      assertThat(run("stop", "--data=" + directory)).isEqualTo(1);
      assertThat(out.toString()).isEmpty();
      assertThat(err.toString())
          .contains("Still running, because \"dev\" did not start it: n1;")
          .hasLineCount(1);
      assertThat(run("kill", "n1", "--data=" + directory)).isEqualTo(2);
      assertThat(server.isAlive()).isTrue();
    } finally {
      server.destroyForcibly();
    }
  }

  /** The foreground command also ends nodes that another command restarted. */
  @Test
  @Tag("slow")
  void closeEndsNodesThatWereRestarted() throws IOException {
    LocalNode local = new LocalNode(plan.nodes().get(0));
    try (ProcessCluster cluster = ProcessCluster.of(plan)) {
      cluster.start();
      cluster.awaitServing(TIMEOUT);
      cluster.requireAlive();
      local.kill();
      NodeProcess node = cluster.nodes().get(0);
      await("the end of the node").atMost(TIMEOUT).until(() -> !node.isAlive());
      assertThatThrownBy(cluster::requireAlive)
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("Node n1 ended unexpectedly: ");
      assertThat(run("start", "n1", "--data=" + directory)).as(err::toString).isZero();
      assertThat(local.process()).isPresent();
    }
    assertThat(local.process()).isEmpty();
    assertThat(local.isInUse()).isFalse();
  }

  @Test
  void anUnwritableDirectoryIsReportedInOneSentence() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(run("--data=" + file.resolve("below"))).isEqualTo(2);
    assertThat(err.toString())
        .startsWith(file.toString())
        .doesNotContain("Exception")
        .hasLineCount(1);
  }

  @Test
  void nodesEndWhenTheirParentIsKilled() throws IOException {
    plan.writeConfigurations();
    Process dev = java("dev", "--nodes=1", "--data=" + directory);
    try {
      await("the foreground cluster")
          .atMost(TIMEOUT)
          .until(() -> Files.readString(output()).contains("Ctrl-C"));
      ProcessHandle node = ProcessFile.read(plan.nodes().get(0).processFile()).orElseThrow();

      dev.destroyForcibly();

      await("the end of the orphan").atMost(TIMEOUT).until(() -> !node.isAlive());
    } finally {
      dev.destroyForcibly();
    }
  }

  @Test
  void theReasonOfAnEarlyExitIsReported() throws IOException {
    ClusterPlan invalid =
        ClusterPlan.of(directory, "dev", new Shape(1, 1, "nonsense"), new Ports.Free());
    try (ProcessCluster cluster = ProcessCluster.of(invalid)) {
      cluster.start();

      assertThatThrownBy(() -> cluster.awaitServing(TIMEOUT))
          .isInstanceOf(ClusterException.NotServing.class)
          .hasMessageContaining("Node n1 ended before it served")
          .hasMessageContaining("nonsense");
    }
  }

  @Test
  void anInvalidTemporaryClusterLeavesNoFiles() {
    assertThatThrownBy(() -> ProcessCluster.temporary(directory, new Shape(0, 1, "raft")))
        .isInstanceOf(ClusterException.class);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aTemporaryClusterDeletesItsDirectory() throws IOException {
    try (ProcessCluster cluster = ProcessCluster.temporary(directory, ONE_NODE)) {
      cluster.start();
      assertThat(cluster.plan().directory()).isNotEmptyDirectory();
      assertThat(cluster.nodes()).allMatch(NodeProcess::isAlive);
    }
    assertThat(directory).isEmptyDirectory();
  }

  /** The program itself, in a process of its own, which writes to {@link #output}. */
  private Process java(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.quorate.server.Main"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output().toFile())
        .start();
  }

  private Path output() {
    return directory.resolve("output.log");
  }

  private Optional<String> readColour() {
    try (QuorateClient client = connect(Duration.ofSeconds(60))) {
      return client.get("colour");
    }
  }

  private QuorateClient connect(Duration deadline) {
    return QuorateClient.connect(
        ClientOptions.builder(plan.clientAddresses()).deadline(deadline).build());
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return new CommandLine(new DevCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
