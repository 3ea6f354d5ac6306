package io.quorate.server.dev;

import io.quorate.client.cli.ExitCode;
import io.quorate.server.dev.ClusterPlan.Shape;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code dev}: a cluster on this machine, in the foreground until Ctrl-C. */
@Command(
    name = "dev",
    mixinStandardHelpOptions = true,
    subcommands = DevStopCommand.class,
    description = {
      "Run a cluster on this machine, each node in a process of its own.",
      "A cluster that was here before continues with its data."
    })
public final class DevCommand implements Callable<Integer> {
  private static final Duration SERVING_PATIENCE = Duration.ofSeconds(90);

  @Spec private CommandSpec spec;

  @Option(names = "--nodes", paramLabel = "N", description = "How many nodes (default: 3).")
  private Optional<Integer> nodes = Optional.empty();

  @Option(
      names = "--preset",
      paramLabel = "P",
      description = "How the replicas agree: raft, rabia or acqr (default: raft).")
  private Optional<String> preset = Optional.empty();

  @Option(
      names = "--regions",
      paramLabel = "R",
      description = "Into how many regions the keys are cut (default: 1).")
  private Optional<Integer> regions = Optional.empty();

  @Option(
      names = "--port-base",
      paramLabel = "B",
      description =
          "The first client port; consensus ports are 100 and admin ports 200 above (default: 7001).")
  private Optional<Integer> portBase = Optional.empty();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where the data is kept (default: .quorate/dev in your home directory).")
  private Path data = defaultData();

  @Option(names = "--detach", description = "Return once the cluster serves; \"dev stop\" ends it.")
  private boolean detach;

  /** Where {@code dev} keeps its data when nobody says otherwise. */
  static Path defaultData() {
    return Path.of(System.getProperty("user.home"), ".quorate", "dev");
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    try {
      ClusterPlan plan = plan();
      PrintWriter out = spec.commandLine().getOut();
      out.printf(
          "Starting %d %s; data and logs are in %s%n",
          plan.nodes().size(), plan.nodes().size() == 1 ? "node" : "nodes", plan.directory());
      out.flush();
      return detach ? runDetached(plan) : runInForeground(plan);
    } catch (ClusterException e) {
      complain(e.getMessage());
      return ExitCode.USAGE.code();
    }
  }

  private int runDetached(ClusterPlan plan) throws IOException, InterruptedException {
    ProcessCluster cluster = ProcessCluster.detached(plan);
    if (!startAndAnnounce(cluster)) {
      cluster.stop();
      return ExitCode.UNAVAILABLE.code();
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "It goes on in the background; end it with: quorate dev stop --data %s%n",
        plan.directory());
    out.flush();
    return 0;
  }

  private int runInForeground(ClusterPlan plan) throws IOException {
    try (ProcessCluster cluster = ProcessCluster.of(plan)) {
      if (!startAndAnnounce(cluster)) {
        return ExitCode.UNAVAILABLE.code();
      }
      PrintWriter out = spec.commandLine().getOut();
      out.println("Press Ctrl-C to stop.");
      out.flush();
      List<CompletableFuture<Void>> ends =
          cluster.nodes().stream()
              .map(node -> node.onExit().thenAccept(ended -> tellOfExit(cluster, ended)))
              .toList();
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).join();
      return 0;
    }
  }

  /** Whether the cluster serves; if not, why has been said. */
  private boolean startAndAnnounce(ProcessCluster cluster) throws IOException {
    cluster.start();
    try {
      cluster.awaitServing(SERVING_PATIENCE);
    } catch (ClusterException.NotServing e) {
      complain(e.getMessage());
      return false;
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf("The cluster serves at %s%n", cluster.plan().clientAddresses());
    for (NodeProcess node : cluster.nodes()) {
      out.printf(
          "  %-4s clients %s, health and metrics %s, process %d%n",
          node.plan().id(),
          node.plan().clientAddress(),
          node.plan().adminAddress(),
          node.handle().map(ProcessHandle::pid).orElse(-1L));
    }
    out.flush();
    return true;
  }

  private void tellOfExit(ProcessCluster cluster, NodeProcess node) {
    if (!cluster.isClosed()) {
      complain("Node %s ended; it said last: %s".formatted(node.plan().id(), node.lastSentence()));
    }
  }

  private void complain(String sentence) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(sentence);
    err.flush();
  }

  /** What was asked for, filled up from the cluster that is there, or else from the defaults. */
  ClusterPlan plan() {
    Optional<ClusterPlan> existing = ClusterPlan.load(data);
    if (existing.isEmpty()) {
      Shape shape =
          new Shape(
              nodes.orElse(Shape.DEFAULT.nodes()),
              regions.orElse(Shape.DEFAULT.regions()),
              preset.orElse(Shape.DEFAULT.preset()));
      return ClusterPlan.of(
          data, "dev", shape, new Ports.FromBase(portBase.orElse(Ports.FromBase.DEFAULT)));
    }
    ClusterPlan present = existing.get();
    requireSame("--nodes", nodes, present.nodes().size());
    requireSame("--regions", regions, present.regions());
    requireSame("--preset", preset, present.preset());
    requireSame("--port-base", portBase, present.nodes().get(0).clientPort());
    return present;
  }

  private <T> void requireSame(String option, Optional<T> asked, T present) {
    if (asked.isPresent() && !asked.get().equals(present)) {
      throw new ClusterException(
          "The cluster in %s has %s %s, not %s; leave the option out or choose another directory with --data."
              .formatted(data, option, present, asked.get()));
    }
  }
}
