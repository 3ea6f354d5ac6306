package io.quorate.server.localcluster;

import io.quorate.server.cli.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code dev start|kill|pause NODE}: injects faults into one node of a cluster that {@code dev}
 * runs.
 */
final class DevNodeCommands {
  private static final Duration SERVING_TIMEOUT = Duration.ofSeconds(60);

  private DevNodeCommands() {}

  /** Base class of the three commands. */
  private abstract static class OfNode implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "NODE", description = "The node, such as n1.")
    private String name;

    @Option(
        names = "--data",
        paramLabel = "DIR",
        description = "Where the cluster's data is (default: .quorate/dev in your home directory).")
    private Path data = DevCommand.defaultData();

    @Override
    public final Integer call() {
      return DevCommand.reporting(spec, () -> run(plan()));
    }

    abstract int run(ClusterPlan cluster) throws IOException;

    private ClusterPlan plan() {
      return ClusterPlan.load(data)
          .orElseThrow(() -> new ClusterException("There is no cluster in " + data + "."));
    }

    LocalNode node(ClusterPlan cluster) {
      return ProcessCluster.local(cluster).stream()
          .filter(node -> node.plan().id().value().equals(name))
          .findFirst()
          .orElseThrow(
              () ->
                  new ClusterException(
                      String.format(
                          Locale.ROOT,
                          "There is no node %s; there are %s.",
                          name,
                          cluster.nodes().stream()
                              .map(node -> node.id().value())
                              .collect(Collectors.joining(", ")))));
    }

    ProcessHandle running(LocalNode node) throws IOException {
      Optional<ProcessHandle> process = node.process();
      if (process.isEmpty()) {
        requireUnused(node);
        throw new ClusterException("Node " + name + " does not run.");
      }
      return process.get();
    }

    /** Throws if a process that {@code dev} did not start uses the node's data. */
    void requireUnused(LocalNode node) throws IOException {
      if (node.isInUse()) {
        throw new ClusterException(
            "Node " + name + " was not started by \"dev\"; manage it where it was.");
      }
    }

    void report(String sentence) {
      PrintWriter out = spec.commandLine().getOut();
      out.println(sentence);
      out.flush();
    }
  }

  /** Starts a killed node, or resumes a paused one. */
  @Command(
      name = "start",
      mixinStandardHelpOptions = true,
      description = "Start a node that was killed, or let one go on that was paused.")
  static final class Start extends OfNode {
    @Override
    int run(ClusterPlan cluster) throws IOException {
      LocalNode node = node(cluster);
      Optional<ProcessHandle> process = node.process();
      if (process.isPresent()) {
        Signals.resume(process.get());
        report("Node " + node.plan().id() + " runs.");
        return ExitCode.OK.code();
      }
      requireUnused(node);
      NodeProcess started = node.start();
      try (ServingProbe probe = new ServingProbe(cluster, SERVING_TIMEOUT)) {
        probe.awaitUp(started, SERVING_TIMEOUT);
      }
      report(
          String.format(
              Locale.ROOT,
              "Node %s responds again, process %d.",
              node.plan().id(),
              started.handle().map(ProcessHandle::pid).orElse(-1L)));
      return ExitCode.OK.code();
    }
  }

  /** Kills a node (SIGKILL), like a crash. */
  @Command(
      name = "kill",
      mixinStandardHelpOptions = true,
      description = "End a node as a crash would (SIGKILL); its data stays.")
  static final class Kill extends OfNode {
    @Override
    int run(ClusterPlan cluster) throws IOException {
      LocalNode node = node(cluster);
      running(node);
      node.kill();
      report(
          String.format(
              Locale.ROOT,
              "Killed node %s; start it again with: quorate dev start %s --data %s",
              node.plan().id(),
              node.plan().id(),
              cluster.directory()));
      return ExitCode.OK.code();
    }
  }

  /** Pauses a node (SIGSTOP). */
  @Command(
      name = "pause",
      mixinStandardHelpOptions = true,
      description = "Pause a node (SIGSTOP): it keeps its connections and does not respond.")
  static final class Pause extends OfNode {
    @Override
    int run(ClusterPlan cluster) throws IOException {
      LocalNode node = node(cluster);
      Signals.pause(running(node));
      report(
          String.format(
              Locale.ROOT,
              "Paused node %s; let it go on with: quorate dev start %s --data %s",
              node.plan().id(),
              node.plan().id(),
              cluster.directory()));
      return ExitCode.OK.code();
    }
  }
}
