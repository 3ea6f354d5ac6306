package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.LoopbackPorts;
import io.quorate.server.config.Preset;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DevCommandTest {
  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void theDefaultIsThreeNodesAtTheDefaultPorts() {
    ClusterPlan plan = parsed("--data", directory.toString()).plan();

    assertThat(plan)
        .isEqualTo(ClusterPlan.of(directory, "dev", Shape.DEFAULT, new Ports.FromBase(7001)));
  }

  @Test
  void optionsSetTheShapeOfTheCluster() {
    ClusterPlan plan =
        parsed(
                "--data=" + directory,
                "--nodes=5",
                "--regions=8",
                "--preset=raft",
                "--port-base=9001")
            .plan();

    assertThat(plan)
        .isEqualTo(
            ClusterPlan.of(directory, "dev", new Shape(5, 8, "raft"), new Ports.FromBase(9001)));
  }

  @Test
  void anExistingClusterIsContinued() throws IOException {
    ClusterPlan before =
        ClusterPlan.of(directory, "dev", new Shape(5, 8, "raft"), new Ports.FromBase(9001));
    before.writeConfigurations();

    assertThat(parsed("--data=" + directory).plan()).isEqualTo(before);
    assertThat(parsed("--data=" + directory, "--nodes=5").plan()).isEqualTo(before);
  }

  @Test
  void anExistingClusterKeepsItsShape() throws IOException {
    ClusterPlan.of(directory, "dev", new Shape(5, 8, "raft"), new Ports.FromBase(9001))
        .writeConfigurations();

    assertThat(run("--data=" + directory, "--regions=4")).isEqualTo(2);
    assertThat(err.toString()).contains("has --regions 8, not 4").hasLineCount(1);
  }

  @Test
  void anUnknownPresetIsRejectedBeforeFilesAreWritten() {
    assertThat(run("--data=" + directory.resolve("new"), "--preset=foo")).isEqualTo(2);

    assertThat(err.toString())
        .contains("There is no preset foo; there are raft, ")
        .contains("acqr")
        .hasLineCount(1);
    assertThat(directory.resolve("new")).doesNotExist();
  }

  @Test
  void freshIsSuggestedForAClusterWithAnUnknownPreset() throws IOException {
    ClusterPlan.of(directory, "dev", new Shape(1, 1, "foo"), new Ports.FromBase(9001))
        .writeConfigurations();

    assertThat(run("--data=" + directory)).isEqualTo(2);
    assertThat(err.toString()).contains("preset foo").contains("--fresh").hasLineCount(1);
  }

  @Test
  void aFreshClusterReplacesTheExistingOne() throws IOException {
    ClusterPlan before =
        ClusterPlan.of(directory, "dev", new Shape(5, 8, "foo"), new Ports.FromBase(9001));
    before.writeConfigurations();
    int base = LoopbackPorts.next();
    try (ServerSocket taken = new ServerSocket(base, 1, InetAddress.getLoopbackAddress())) {
      assertThat(run("--data=" + directory, "--fresh", "--port-base=" + taken.getLocalPort()))
          .isEqualTo(2);
      assertThat(before.nodes()).allMatch(node -> Files.exists(node.configFile()));
    }

    DevCommand command = parsed("--data=" + directory, "--fresh", "--port-base=" + base);
    ClusterPlan plan = command.plan();
    assertThat(plan)
        .isEqualTo(ClusterPlan.of(directory, "dev", Shape.DEFAULT, new Ports.FromBase(base)));
    command.deleteExistingCluster(plan);
    assertThat(before.nodes()).noneMatch(node -> Files.exists(node.directory()));
  }

  @Test
  void everyPresetIsInTheHelp() {
    assertThat(new CommandLine(new DevCommand()).getUsageMessage().replaceAll("\\s+", " "))
        .contains(String.join(", ", Preset.names()));
  }

  @Test
  void aPortInUseIsReportedInOneSentence() throws IOException {
    try (ServerSocket taken =
        new ServerSocket(LoopbackPorts.next(), 1, InetAddress.getLoopbackAddress())) {
      int base = taken.getLocalPort();

      assertThat(run("--data=" + directory, "--nodes=1", "--port-base=" + base)).isEqualTo(2);

      assertThat(err.toString())
          .contains("Port " + taken.getLocalPort() + " on 127.0.0.1 is in use")
          .hasLineCount(1);
      assertThat(directory.resolve("n1")).doesNotExist();
    }
  }

  @Test
  void stopReportsThatNoClusterRuns() {
    assertThat(run("stop", "--data=" + directory)).isZero();
    assertThat(out.toString()).isEqualToIgnoringNewLines("No cluster runs in " + directory + ".");
  }

  @Test
  void anotherProcessWithTheSamePidIsNotStopped() throws IOException {
    ClusterPlan plan =
        ClusterPlan.of(directory, "dev", new Shape(1, 1, "raft"), new Ports.FromBase(9001));
    plan.writeConfigurations();
    long ownPid = ProcessHandle.current().pid();
    long longAgoMillis = 1;
    Files.writeString(plan.nodes().get(0).processFile(), ownPid + " " + longAgoMillis);

    assertThat(run("stop", "--data=" + directory)).isZero();
    assertThat(out.toString()).startsWith("No cluster runs");
  }

  @Test
  void whatCommandsNeedIsPrinted() {
    Path spaced = directory.resolve("a b");
    assertThat(environment(Shape.DEFAULT, directory, 7001)).isEmpty();
    assertThat(environment(new Shape(2, 1, "raft"), directory, 9001))
        .contains("For commands and the shell: export QUORATE_AT=127.0.0.1:9001,127.0.0.1:9002");
    assertThat(environment(new Shape(1, 1, "raft").withSecurity(true), spaced, 9001))
        .contains(
            "For commands and the shell: export QUORATE_AT=127.0.0.1:9001 QUORATE_CERTS='"
                + spaced.resolve("certs/users/dev")
                + "'");
  }

  private static Optional<String> environment(Shape shape, Path data, int portBase) {
    return DevCommand.environment(ClusterPlan.of(data, "dev", shape, new Ports.FromBase(portBase)));
  }

  private DevCommand parsed(String... arguments) {
    DevCommand command = new DevCommand();
    new CommandLine(command).parseArgs(arguments);
    return command;
  }

  private int run(String... arguments) {
    return new CommandLine(new DevCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
