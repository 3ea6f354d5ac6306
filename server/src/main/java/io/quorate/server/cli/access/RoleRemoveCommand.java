package io.quorate.server.cli.access;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.AccessAdministration;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Removes a role. */
@Command(name = "remove", description = "Remove a role that no user has.")
final class RoleRemoveCommand extends ClientVerb {
  @Parameters(paramLabel = "NAME", description = "The name of the role.")
  private String name;

  RoleRemoveCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    AccessAdministration access = client.async().access();
    if (await(access.list()).roles().stream().noneMatch(role -> role.name().equals(name))) {
      printError("There is no role " + name + "; \"quorate role\" lists all.");
      return ExitCode.NOT_MET;
    }
    await(checked(() -> access.removeRole(name)));
    return ExitCode.OK;
  }
}
