package io.quorate.server.cli.region;

import io.quorate.client.QuorateClient;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The verbs about regions are below it. */
@Command(
    name = "region",
    description = "Change the regions of the cluster, by the verbs below; status lists them.")
public final class RegionCommand extends ClientVerb {
  public RegionCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  /** Creates the command line with that of the verb below it. */
  public static CommandLine commandLine(Terminal terminal, Connections connections) {
    return new CommandLine(new RegionCommand(terminal, connections))
        .addSubcommand(new RegionSplitCommand(terminal, connections))
        .addSubcommand(new RegionMergeCommand(terminal, connections));
  }

  @Override
  protected void checkParameters() {
    throw usageError("region takes a verb: split KEY or merge KEY; status lists the regions.");
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    throw new AssertionError("No parameters are valid.");
  }
}
