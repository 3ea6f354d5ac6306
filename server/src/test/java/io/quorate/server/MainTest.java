package io.quorate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.server.node.QuorateNode;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MainTest {
  private static final int USAGE = 2;
  private static final int ENVIRONMENT = 74;
  private static final int UNHEALTHY = 1;

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path file;
  private TestCluster cluster;

  @BeforeEach
  void writeConfiguration() throws IOException {
    file = directory.resolve("quorate.conf");
    cluster = new TestCluster(directory, 1, "engine = memory");
    Files.writeString(file, cluster.text(0));
  }

  private int run(String... arguments) {
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return commands.execute(arguments);
  }

  private void assertOneSentence(String part) {
    assertThat(err.toString().strip()).contains(part).endsWith(".").doesNotContain("\n");
  }

  @Test
  void everyVerbIsInTheHelp() {
    assertThat(run()).isZero();
    String withoutArguments = out.toString();
    out.getBuffer().setLength(0);
    assertThat(run("help")).isZero();
    assertThat(out.toString()).isEqualTo(withoutArguments).contains("Keys and values:");
    assertThat(withoutArguments).doesNotContain("%n");
    for (String verb : Main.commandLine().getSubcommands().keySet()) {
      assertThat(withoutArguments).containsPattern("(?m)^  " + verb + " +\\S");
    }
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aSimilarVerbIsSuggestedForAMistypedOne() {
    assertThat(run("del", "a")).isEqualTo(USAGE);
    assertThat(err.toString()).startsWith("There is no verb del; did you mean delete");
    err.getBuffer().setLength(0);
    assertThat(run("xyzzy")).isEqualTo(USAGE);
    assertThat(err.toString()).startsWith("There is no verb xyzzy");
  }

  @Test
  void theDirectoryBeforeAVerbOfDevIsTheOneThatIsUsed() {
    assertThat(run("dev", "--data", directory.toString(), "stop")).isZero();
    assertThat(out.toString()).isEqualTo("No cluster runs in " + directory + ".\n");
    assertThat(run("dev", "--nodes=3", "stop")).isEqualTo(USAGE);
    assertThat(err.toString()).startsWith("quorate dev stop has no option --nodes.\n");
  }

  @Test
  void anUnknownConfigurationKeyIsReportedInOneSentence() {
    assertThat(run("server", "--config", file.toString(), "--set", "node.date=x")).isEqualTo(USAGE);
    assertOneSentence("Unknown key quorate.node.date");
  }

  @Test
  void aMissingFileIsReportedInOneSentence() {
    assertThat(run("server", "--config", "/no/such/file")).isEqualTo(USAGE);
    assertOneSentence("/no/such/file cannot be read");
  }

  @Test
  void anUnknownEngineSettingIsReportedInOneSentence() {
    assertThat(run("server", "--config", file.toString(), "--set", "memory.speed=9"))
        .isEqualTo(USAGE);
    assertOneSentence("Unknown setting memory.speed");
  }

  @Test
  void requestsThatWouldFillTheHeapAreReportedInOneSentence() {
    assertThat(run("server", "--config", file.toString(), "--set", "rpc.node-bytes=60GiB"))
        .isEqualTo(USAGE);
    assertOneSentence("quorate.rpc.node-bytes is at most half of the heap");
  }

  @Test
  void aPortInUseIsReportedInOneSentence() throws IOException {
    int port = cluster.clientPort(0);
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(taken.isBound()).isTrue();
      assertThat(run("server", "--config", file.toString())).isEqualTo(USAGE);
      assertOneSentence("client-port of node n1: 127.0.0.1:" + port);
    }
  }

  /** A supervisor starts the node again, unlike one whose configuration is wrong. */
  @Test
  void aFullDiskIsNoErrorOfTheConfiguration() throws IOException {
    Path data = cluster.config(0).node().data();
    Path draft = data.resolve("identity.draft");
    Files.createDirectories(data);
    Files.createSymbolicLink(draft, Path.of("/dev/full"));
    assertThat(run("server", "--config", file.toString())).isEqualTo(ENVIRONMENT);
    assertOneSentence("cannot be used: No space left on device");
  }

  @Test
  void aDirectoryThatIsNoneIsAnErrorOfTheConfiguration() throws IOException {
    Files.createFile(cluster.config(0).node().data());
    assertThat(run("server", "--config", file.toString())).isEqualTo(USAGE);
    assertOneSentence("it exists already, and is no directory");
  }

  @Test
  void healthReportsTheLocalNode() {
    assertThat(run("health", "--config", file.toString())).isEqualTo(UNHEALTHY);
    assertOneSentence("127.0.0.1:" + cluster.adminPort(0) + "/health does not respond");

    try (QuorateNode node =
        QuorateNode.start(cluster.config(0), new MemoryEngineProvider(), failure -> {})) {
      node.serving().toCompletableFuture().join();
      assertThat(run("health", "--config", file.toString())).isZero();
      assertThat(out.toString().strip()).isEqualTo("ok");
    }
  }

  @Test
  void healthReportsTheReasonOfAnUnhealthyNode() throws IOException {
    TestCluster full =
        new TestCluster(directory, 1, "engine = memory\nstorage.free-space-min = 1024GiB");
    Files.writeString(file, full.text(0));
    try (QuorateNode node =
        QuorateNode.start(full.config(0), new MemoryEngineProvider(), failure -> {})) {
      node.serving().toCompletableFuture().join();
      await()
          .until(
              () ->
                  run("health", "--config", file.toString()) == UNHEALTHY
                      && out.toString().contains("storage.free-space-min"));
    }
  }
}
