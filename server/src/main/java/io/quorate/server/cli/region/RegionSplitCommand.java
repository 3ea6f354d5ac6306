package io.quorate.server.cli.region;

import io.quorate.client.QuorateClient;
import io.quorate.model.GroupId;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.Connections;
import java.io.IOException;
import picocli.CommandLine.Command;

/** Splits the region that has a key, and waits until the new region serves. */
@Command(
    name = "split",
    description = {
      "Split the region that has a key: a new region has the keys from there on.",
      "No row moves, and clients go on. A region that begins at the key already stays as it is."
    })
final class RegionSplitCommand extends RegionChangeVerb {
  RegionSplitCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) throws IOException {
    GroupId region = client.splitRegion(at());
    if (noWait()) {
      return planned(region);
    }
    waitUntil(client, status -> serves(status, region), "region " + region + " begins");
    return done(region);
  }
}
