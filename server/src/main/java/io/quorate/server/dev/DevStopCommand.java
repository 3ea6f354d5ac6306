package io.quorate.server.dev;

import io.quorate.client.cli.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code dev stop}: ends the cluster that runs in a directory, whoever started it. */
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
  public Integer call() throws IOException {
    try {
      Optional<ClusterPlan> plan = ClusterPlan.load(data);
      int stopped = plan.isEmpty() ? 0 : ProcessCluster.stop(plan.get());
      PrintWriter out = spec.commandLine().getOut();
      out.println(
          stopped == 0
              ? "No cluster runs in " + data + "."
              : "Stopped " + stopped + (stopped == 1 ? " node." : " nodes."));
      out.flush();
      return 0;
    } catch (ClusterException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(e.getMessage());
      err.flush();
      return ExitCode.USAGE.code();
    }
  }
}
