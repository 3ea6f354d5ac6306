package io.quorate.server.cli.access;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.AccessAdministration;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Removes a user. */
@Command(
    name = "remove",
    description = "Remove a user; what he has connected may do nothing from then on.")
final class UserRemoveCommand extends ClientVerb {
  @Parameters(paramLabel = "NAME", description = "The name of the user.")
  private String name;

  UserRemoveCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    AccessAdministration access = client.async().access();
    if (await(access.list()).users().stream().noneMatch(user -> user.name().equals(name))) {
      printError("There is no user " + name + "; \"quorate user\" lists all.");
      return ExitCode.NOT_MET;
    }
    await(checked(() -> access.removeUser(name)));
    return ExitCode.OK;
  }
}
