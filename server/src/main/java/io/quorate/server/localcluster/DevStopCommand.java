package io.quorate.server.localcluster;

import io.quorate.server.cli.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code dev stop}: stops the cluster that runs in a directory, also if another process started it.
 */
@Command(
    name = "stop",
    mixinStandardHelpOptions = true,
    description = "Stop the cluster that \"dev\" runs in a directory.")
final class DevStopCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where the cluster's data is (default: .quorate/dev in your home directory).")
  private Path data = DevCommand.defaultData();

  @Override
  public Integer call() {
    return DevCommand.reporting(spec, this::stop);
  }

  private int stop() throws IOException {
    Optional<ClusterPlan> plan = ClusterPlan.load(data);
    int stopped = plan.isEmpty() ? 0 : ProcessCluster.stop(plan.get());
    List<NodePlan> others = plan.isEmpty() ? List.of() : inUse(plan.get());
    PrintWriter out = spec.commandLine().getOut();
    if (stopped > 0 || others.isEmpty()) {
      out.println(
          stopped == 0
              ? "No cluster runs in " + data + "."
              : "Stopped " + stopped + (stopped == 1 ? " node." : " nodes."));
      out.flush();
    }
    if (others.isEmpty()) {
      return ExitCode.OK.code();
    }
    DevCommand.printError(
        spec,
        String.format(
            Locale.ROOT,
            "Still running, because \"dev\" did not start it: %s; end it where it was started.",
            others.stream().map(node -> node.id().value()).collect(Collectors.joining(", "))));
    return ExitCode.NOT_MET.code();
  }

  private static List<NodePlan> inUse(ClusterPlan plan) throws IOException {
    List<NodePlan> inUse = new ArrayList<>();
    for (LocalNode node : ProcessCluster.local(plan)) {
      if (node.isInUse()) {
        inUse.add(node.plan());
      }
    }
    return inUse;
  }
}
