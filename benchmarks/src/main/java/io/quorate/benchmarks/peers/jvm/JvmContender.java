package io.quorate.benchmarks.peers.jvm;

import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.contender.PeerCluster;
import io.quorate.benchmarks.peers.contender.PeerCluster.Node;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.RunningContender;
import io.quorate.benchmarks.peers.contender.SourceProject;
import io.quorate.benchmarks.peers.contender.UnavailableException;
import io.quorate.common.LoopbackPorts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three nodes of a database that Maven builds from a small project and a published library. */
public final class JvmContender implements Contender {
  private static final int NODES = 3;
  private static final String MAIN = "peer.Node";
  private static final List<String> MEMORY_FLAGS =
      List.of("-Xms64m", "-Xmx1g", "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError");
  private static final int FIRST_JDK_WITH_UNSAFE_WARNING = 23;
  private static final int FIRST_JDK_WITH_NATIVE_ACCESS_WARNING = 24;

  private final MavenProject project;
  private final String description;
  private final List<String> flags;
  private Path directory = Path.of("");

  /**
   * @param name also of the directory of the project in the resources
   * @param sources names of the Java files of the project
   * @param flags of the JVM of a node
   */
  private JvmContender(String name, String description, List<String> sources, List<String> flags) {
    this.project = new MavenProject(name, sources);
    this.description = description;
    this.flags = flags;
  }

  /** RheaKV, the key-value database on SOFAJRaft. */
  public static JvmContender rheaKv() {
    return new JvmContender(
        "rheakv",
        "SOFAJRaft RheaKV 1.3.15.bugfix, one region on three nodes; the log is synced, as is the"
            + " default, and its RocksDB is not, which the log makes redundant; heap up to 1 GiB,"
            + " and up to 32 MiB in flight on a connection, otherwise the defaults, with"
            + " linearizable gets at the leader and batches made by clients; three clients, each with connections to all nodes.",
        List.of("Node", "Client", "Bolt"),
        List.of(
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"));
  }

  /** Ratis with a state machine that writes each entry to RocksDB. */
  public static JvmContender ratis() {
    return new JvmContender(
        "ratis",
        "Apache Ratis 3.3.0 with a state machine of one RocksDB write per entry, one group on three"
            + " nodes; linearizable gets, elections after 1 to 2 s, no snapshots, heap up to 1 GiB,"
            + " otherwise the defaults; three clients, each with connections to all nodes, with"
            + " ordered asynchronous calls.",
        List.of("Node", "Client", "Group", "RocksStateMachine"),
        List.of());
  }

  @Override
  public String name() {
    return project.name();
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public void prepare(Programs programs) throws UnavailableException, InterruptedException {
    directory = project.build(programs);
  }

  /** The project, to be built by this program. */
  SourceProject project(String maven) {
    return project.project(maven);
  }

  @Override
  public RunningContender start(Path parent) throws IOException, InterruptedException {
    String addresses =
        Stream.generate(() -> "127.0.0.1:" + LoopbackPorts.next())
            .limit(NODES)
            .collect(Collectors.joining(","));
    ClassLoader loader = IsolatedConnection.loader(directory);
    return PeerCluster.start(
        name(),
        parent,
        below ->
            IntStream.range(0, NODES)
                .mapToObj(node -> new Node("n" + (node + 1), command(node, addresses)))
                .toList(),
        NODES,
        number -> IsolatedConnection.open(loader, addresses));
  }

  /** The command line of a node, which runs in its own directory. */
  List<String> command(int node, String addresses) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(MEMORY_FLAGS);
    int feature = Runtime.version().feature();
    if (feature >= FIRST_JDK_WITH_UNSAFE_WARNING) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    if (feature >= FIRST_JDK_WITH_NATIVE_ACCESS_WARNING) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(flags);
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    command.add("-cp");
    command.add(
        IsolatedConnection.classes(directory)
            + File.pathSeparator
            + IsolatedConnection.libraries(directory).resolve("*"));
    command.addAll(List.of(MAIN, Integer.toString(node), addresses));
    return command;
  }
}
