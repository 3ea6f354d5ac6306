package io.quorate.server.localcluster;

import io.quorate.common.FileErrors;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.config.Preset;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.node.Engines;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code dev}: runs a cluster on this machine, in the foreground until Ctrl-C. */
@Command(
    name = "dev",
    mixinStandardHelpOptions = true,
    subcommands = {
      DevNodeCommands.Start.class,
      DevNodeCommands.Kill.class,
      DevNodeCommands.Pause.class,
      DevStopCommand.class
    },
    description = {
      "Run a cluster on this machine, each node in a process of its own.",
      "A cluster that was here before continues with its data."
    })
public final class DevCommand implements Callable<Integer> {
  private static final Duration SERVING_TIMEOUT = Duration.ofSeconds(90);

  @Spec private CommandSpec spec;

  @Option(names = "--nodes", paramLabel = "N", description = "How many nodes (default: 3).")
  private Optional<Integer> nodes = Optional.empty();

  @Option(
      names = "--preset",
      paramLabel = "P",
      completionCandidates = Presets.class,
      description = "How the replicas agree: ${COMPLETION-CANDIDATES} (default: raft).")
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
          "The first client port; consensus ports are 100 and admin ports 200 above (default:"
              + " 7001).")
  private Optional<Integer> portBase = Optional.empty();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where the data is kept (default: .quorate/dev in your home directory).")
  private Path data = defaultData();

  @Option(names = "--detach", description = "Return once the cluster serves; \"dev stop\" ends it.")
  private boolean detach;

  @Option(
      names = "--secure",
      description =
          "Encrypt all connections, and let nodes and clients present certificates, which are made"
              + " in the directory \"certs\" of the data.")
  private boolean secure;

  @Option(
      names = "--fresh",
      description = "Delete the cluster that was here before, with all its data, and begin anew.")
  private boolean fresh;

  /** The names of the presets, for the help. */
  static final class Presets implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return names().iterator();
    }

    private static List<String> names() {
      return Engines.presets().stream().map(Preset::name).toList();
    }
  }

  /** The default data directory of {@code dev}. */
  static Path defaultData() {
    return Path.of(System.getProperty("user.home"), ".quorate", "dev");
  }

  @Override
  public Integer call() {
    return reporting(
        spec,
        () -> {
          requireKnown(preset);
          ClusterPlan plan = plan();
          if (fresh) {
            deleteExistingCluster(plan);
          }
          PrintWriter out = spec.commandLine().getOut();
          out.printf(
              Locale.ROOT,
              "Starting %d %s; data and logs are in %s%n",
              plan.nodes().size(),
              plan.nodes().size() == 1 ? "node" : "nodes",
              plan.directory());
          out.flush();
          return detach ? runDetached(plan) : runInForeground(plan);
        });
  }

  /** The action of a {@code dev} command. */
  interface Action {
    int run() throws IOException, InterruptedException;
  }

  /** Runs an action; reports a failure as one sentence and an exit code. */
  static int reporting(CommandSpec spec, Action action) {
    try {
      return action.run();
    } catch (ClusterException.NotServing e) {
      printError(spec, e.getMessage());
      return ExitCode.UNAVAILABLE.code();
    } catch (ClusterException e) {
      printError(spec, e.getMessage());
      return ExitCode.USAGE.code();
    } catch (IOException e) {
      printError(spec, FileErrors.endOfSentence(e));
      return ExitCode.USAGE.code();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      printError(spec, "Interrupted.");
      return ExitCode.UNAVAILABLE.code();
    }
  }

  private int runDetached(ClusterPlan plan) throws IOException, InterruptedException {
    ProcessCluster cluster = ProcessCluster.detached(plan, Launch.SHARED_PROCESSORS);
    try {
      startAndAnnounce(cluster);
    } catch (ClusterException.NotServing e) {
      cluster.stop();
      throw e;
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "It goes on in the background; end it with: quorate dev stop --data %s%n",
        plan.directory());
    out.flush();
    return 0;
  }

  private int runInForeground(ClusterPlan plan) throws IOException {
    try (ProcessCluster cluster = ProcessCluster.of(plan, node -> Launch.SHARED_PROCESSORS)) {
      startAndAnnounce(cluster);
      PrintWriter out = spec.commandLine().getOut();
      out.println("Press Ctrl-C to stop.");
      out.flush();
      List<CompletableFuture<Void>> ends =
          cluster.nodes().stream()
              .map(node -> node.onExit().thenAccept(ended -> reportExit(cluster, ended)))
              .toList();
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).join();
      awaitRestartedNodes(plan);
      return 0;
    }
  }

  /** Waits for the nodes that "dev start" has restarted, which are not children of this process. */
  private static void awaitRestartedNodes(ClusterPlan plan) throws IOException {
    for (LocalNode node : ProcessCluster.local(plan)) {
      while (node.process().isPresent()) {
        node.onExit().join();
      }
    }
  }

  private void startAndAnnounce(ProcessCluster cluster) throws IOException {
    cluster.start();
    cluster.awaitServing(SERVING_TIMEOUT);
    PrintWriter out = spec.commandLine().getOut();
    out.printf(Locale.ROOT, "The cluster serves at %s%n", cluster.plan().clientAddresses());
    TextTable nodes = TextTable.ofTexts("NODE", "CLIENTS", "CONSOLE", "PROCESS");
    for (NodeProcess node : cluster.nodes()) {
      nodes.add(
          node.plan().id().toString(),
          node.plan().clientAddress(),
          cluster.plan().adminAddress(node.plan()),
          node.handle().map(handle -> Long.toString(handle.pid())).orElse("-"));
    }
    out.print(nodes.render());
    environment(cluster.plan()).ifPresent(out::println);
    out.flush();
  }

  /** What commands need to find the cluster and to be served; empty if they need nothing. */
  static Optional<String> environment(ClusterPlan plan) {
    StringBuilder variables = new StringBuilder();
    if (plan.nodes().get(0).clientPort() != Ports.FromBase.DEFAULT) {
      variables.append(" QUORATE_AT=").append(plan.clientAddresses());
    }
    plan.certificates()
        .ifPresent(
            certificates -> variables.append(" QUORATE_CERTS=").append(quoted(certificates)));
    return variables.isEmpty()
        ? Optional.empty()
        : Optional.of("For commands and the shell: export" + variables);
  }

  /** As a shell takes it for one word. */
  private static String quoted(Path path) {
    String text = path.toAbsolutePath().toString();
    return text.matches("[\\w/.,:+@%-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  private void reportExit(ProcessCluster cluster, NodeProcess node) {
    if (!cluster.isClosed()) {
      printError(
          spec,
          String.format(
              Locale.ROOT,
              "Node %s ended (log: %s); start it again with: quorate dev start %s --data %s",
              node.plan().id(),
              node.plan().logFile(),
              node.plan().id(),
              cluster.plan().directory()));
    }
  }

  static void printError(CommandSpec spec, String sentence) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(sentence);
    err.flush();
  }

  /**
   * The requested cluster; an option that is not set has the value of the existing cluster, or else
   * the default.
   */
  ClusterPlan plan() {
    Optional<ClusterPlan> existing = fresh ? Optional.empty() : ClusterPlan.load(data);
    if (existing.isEmpty()) {
      Shape shape =
          new Shape(
                  nodes.orElse(Shape.DEFAULT.nodes()),
                  regions.orElse(Shape.DEFAULT.regions()),
                  preset.orElse(Shape.DEFAULT.preset()))
              .withSecurity(secure);
      ClusterPlan plan =
          ClusterPlan.of(
              data, "dev", shape, new Ports.FromBase(portBase.orElse(Ports.FromBase.DEFAULT)));
      return plan;
    }
    ClusterPlan present = existing.get();
    if (!Presets.names().contains(present.preset())) {
      throw new ClusterException(
          String.format(
              Locale.ROOT,
              "The cluster in %s has preset %s, which does not exist; begin anew with --fresh.",
              data,
              present.preset()));
    }
    requireSame("--nodes", nodes, present.nodes().size());
    requireSame("--regions", regions, present.regions());
    requireSame("--preset", preset, present.preset());
    requireSame("--secure", Optional.of(true).filter(asked -> secure), present.isSecure());
    requireSame("--port-base", portBase, present.nodes().get(0).clientPort());
    return present;
  }

  /** Called before any file is written, because the data of a cluster is bound to its preset. */
  private static void requireKnown(Optional<String> preset) {
    List<String> known = Presets.names();
    preset
        .filter(name -> !known.contains(name))
        .ifPresent(
            name -> {
              throw new ClusterException(
                  String.format(
                      Locale.ROOT,
                      "There is no preset %s; there are %s.",
                      name,
                      String.join(", ", known)));
            });
  }

  /**
   * Deletes the data of the existing cluster, if that does not run and the ports of the new cluster
   * are free.
   */
  void deleteExistingCluster(ClusterPlan newPlan) throws IOException {
    Optional<ClusterPlan> existing = ClusterPlan.load(data);
    if (existing.isPresent()) {
      ProcessCluster.requireNotRunning(existing.get());
      ProcessCluster.requirePortsFree(newPlan);
      for (NodePlan node : existing.get().nodes()) {
        FileTree.delete(node.directory());
      }
    }
  }

  private <T> void requireSame(String option, Optional<T> requested, T present) {
    if (requested.isPresent() && !requested.get().equals(present)) {
      throw new ClusterException(
          String.format(
              Locale.ROOT,
              "The cluster in %s has %s %s, not %s; leave the option out or choose another directory with --data.",
              data,
              option,
              present,
              requested.get()));
    }
  }
}
