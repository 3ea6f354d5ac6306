package io.quorate.server.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.server.dev.ClusterPlan.Shape;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Real processes, from their start to their end. */
@Timeout(300)
class ProcessClusterTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
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
  void dataOutlivesAPauseAStopAndAChangeOfOwner() throws IOException, InterruptedException {
    try (ProcessCluster cluster = ProcessCluster.of(plan)) {
      cluster.start();
      cluster.awaitServing(PATIENCE);
      NodeProcess node = cluster.nodes().get(0);
      try (QuorateClient client = connect(Duration.ofSeconds(60))) {
        client.put("colour", "green");
      }
      try (QuorateClient impatient = connect(Duration.ofSeconds(3))) {
        node.pause();
        assertThatThrownBy(() -> impatient.get("colour")).isInstanceOf(UnavailableException.class);
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
  void nodesEndWhenWhoeverStartedThemIsKilled() throws IOException {
    plan.writeConfigurations();
    Path said = directory.resolve("dev.log");
    Process dev =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.quorate.server.Main",
                "dev",
                "--nodes=1",
                "--data=" + directory)
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try {
      await("the foreground cluster")
          .atMost(PATIENCE)
          .until(() -> Files.readString(said).contains("Ctrl-C"));
      ProcessHandle node = ProcessFile.read(plan.nodes().get(0).processFile()).orElseThrow();

      dev.destroyForcibly();

      await("the end of the orphan").atMost(PATIENCE).until(() -> !node.isAlive());
    } finally {
      dev.destroyForcibly();
    }
  }

  @Test
  void aNodeThatEndsEarlySaysWhy() throws IOException {
    ClusterPlan odd =
        ClusterPlan.of(directory, "dev", new Shape(1, 1, "nonsense"), new Ports.Free());
    try (ProcessCluster cluster = ProcessCluster.of(odd)) {
      cluster.start();

      assertThatThrownBy(() -> cluster.awaitServing(PATIENCE))
          .isInstanceOf(ClusterException.NotServing.class)
          .hasMessageContaining("Node n1 ended before it served")
          .hasMessageContaining("nonsense");
    }
  }

  @Test
  void aTemporaryClusterThatCannotBeLeavesNothing() {
    assertThatThrownBy(() -> ProcessCluster.temporary(directory, new Shape(0, 1, "raft")))
        .isInstanceOf(ClusterException.class);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aTemporaryClusterTakesItsDirectoryWithIt() throws IOException {
    try (ProcessCluster cluster = ProcessCluster.temporary(directory, ONE_NODE)) {
      cluster.start();
      assertThat(cluster.plan().directory()).isNotEmptyDirectory();
      assertThat(cluster.nodes()).allMatch(NodeProcess::isAlive);
    }
    assertThat(directory).isEmptyDirectory();
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
