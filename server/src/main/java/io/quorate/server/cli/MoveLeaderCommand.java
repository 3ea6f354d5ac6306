package io.quorate.server.cli;

import io.quorate.client.QuorateClient;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Transfers the leadership of a region to another node. */
@Command(
    name = "move-leader",
    description = {
      "Hand leadership of a region to another node that has a replica of it; status shows both.",
      "Writes to the region wait meanwhile. Nothing is done where the node is away or behind."
    })
final class MoveLeaderCommand extends ClientVerb {
  @Parameters(index = "0", paramLabel = "REGION", description = "The region's number.")
  private int region;

  @Parameters(index = "1", paramLabel = "NODE", description = "The node that is to lead it.")
  private String target;

  MoveLeaderCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    client.transferLeader(region(region, 0), node(target));
    terminal().out().print("Node " + target + " leads region " + region + ".\n");
    return ExitCode.OK;
  }
}
