package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.server.cli.ClientCommands;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.config.Preset;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.node.directory.ReplicaRecords;
import io.quorate.server.testing.TestCluster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Clusters of nodes in this process, under one preset at a time. */
abstract class ClusterFixture {
  static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir private static Path root;

  @Parameter Preset preset;
  final List<QuorateNode> nodes = new ArrayList<>();
  TestCluster cluster;

  /**
   * The presets of a test.
   *
   * @param always separated by blanks
   * @param ifSlow those that repeat it where slow tests run, likewise
   */
  static Stream<Preset> presets(String always, String ifSlow) {
    String names = slowTestsRun() ? always + " " + ifSlow : always;
    return Stream.of(names.split(" ")).map(name -> Preset.named(name).orElseThrow());
  }

  static boolean slowTestsRun() {
    return Boolean.getBoolean("tests.slow");
  }

  /** Starts a cluster and waits until all of its nodes serve. */
  void start(int count, String settings) throws IOException {
    configure(count, settings);
    for (int i = 0; i < count; i++) {
      nodes.add(start(i));
    }
    nodes.forEach(ClusterFixture::awaitServing);
  }

  void configure(int count, String settings) throws IOException {
    Path directory = Files.createTempDirectory(root, preset.name());
    // The last nodes to stop find no node to transfer leadership to.
    cluster =
        new TestCluster(
            directory,
            count,
            """
            preset = %s
            shutdown.transfer-timeout = 1s
            %s
            """
                .formatted(preset.name(), settings));
  }

  static void awaitServing(QuorateNode node) {
    node.serving().toCompletableFuture().orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
  }

  /** Whether every replica of a region has applied what any of them knows to be committed. */
  static boolean isApplied(ClusterStatus status, GroupId region) {
    List<ReplicaState> replicas = status.replicas(region);
    long committed = replicas.stream().mapToLong(ReplicaState::committed).max().orElseThrow();
    return replicas.stream().allMatch(replica -> replica.applied() == committed);
  }

  /** Waits until a region is served, such as one that is to begin by a split. */
  static void awaitServed(QuorateClient client, GroupId region) {
    await()
        .atMost(TIMEOUT)
        .until(() -> client.status().replicas(region).stream().anyMatch(ReplicaState::serving));
  }

  /** Waits until so many replicas of a region are reported, and all of them hibernate. */
  static void awaitHibernation(QuorateClient client, GroupId region, int replicas) {
    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              List<ReplicaState> reported = client.status().replicas(region);
              return reported.size() == replicas
                  && reported.stream().allMatch(ReplicaState::hibernating);
            });
  }

  Path data(int node) {
    return cluster.config(node).node().data();
  }

  /** Waits until a node has removed what it had of a region, the record of it last. */
  void awaitRemoved(int node, GroupId region) {
    await()
        .atMost(TIMEOUT)
        .until(() -> ReplicaRecords.open(data(node).resolve("replicas")).of(region).isEmpty());
  }

  QuorateNode start(int number) {
    return start(number, cluster.size());
  }

  /**
   * Starts a node.
   *
   * @param configured how many nodes, from the first on, its configuration has
   */
  QuorateNode start(int number, int configured) {
    return start(number, cluster.config(number, configured));
  }

  /** Starts a node with settings of its own. */
  QuorateNode startWith(int number, String settings) {
    return start(number, cluster.config(number, cluster.size(), settings));
  }

  private QuorateNode start(int number, ServerConfig config) {
    ConsensusEngineProvider engine = Engines.available().get(preset.mode().engine());
    return QuorateNode.start(config, engine, failure -> failed(number, failure));
  }

  /** Called by a node that has failed, which then has to end. */
  void failed(int number, ConsensusException.Fatal failure) {
    throw failure;
  }

  QuorateClient client() {
    return QuorateClient.connect(ClientOptions.builder(cluster.seeds()).deadline(TIMEOUT).build());
  }

  /** Executes {@code quorate node}, and returns what it prints. */
  String node(String... arguments) {
    return command("node", arguments);
  }

  /** Executes a command, and returns what it prints. */
  String command(String name, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), to, to, false);
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--at=" + cluster.seeds());
    all.add("--timeout=1m");
    ClientCommands.named(name, terminal).orElseThrow().execute(all.toArray(String[]::new));
    return out.toString(UTF_8);
  }

  /** Closes all nodes at once. */
  @AfterEach
  void stop() {
    CompletableFuture.allOf(
            nodes.stream()
                .map(node -> CompletableFuture.runAsync(node::close))
                .toArray(CompletableFuture[]::new))
        .join();
  }
}
