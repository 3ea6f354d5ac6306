package io.quorate.server.cli.access;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.AccessAdministration;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.ConnectOptions;
import io.quorate.server.cli.verb.Connections;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Adds or changes a user. */
@Command(
    name = "set",
    description = {
      "Add a user, or change the one of this name, so that he has these roles and no others.",
      "A user presents a certificate with his name, or logs in with a secret, of which the nodes"
          + " receive a hash. Without --new-secret-file the secret that he has stays."
    })
final class UserSetCommand extends ClientVerb {
  @Parameters(paramLabel = "NAME", description = "The name of the user.")
  private String name;

  @Option(
      names = "--role",
      showDefaultValue = Visibility.NEVER,
      paramLabel = "ROLE[,...]",
      split = ",",
      description = "What he may do. Without roles he may do nothing.")
  private List<String> roles = List.of();

  @Option(
      names = "--new-secret-file",
      paramLabel = "FILE",
      description = "The file whose first line is his secret from now on.")
  private Path newSecretFile;

  UserSetCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    AccessAdministration access = client.async().access();
    Set<String> all = new LinkedHashSet<>(roles);
    await(
        checked(
            () ->
                newSecretFile == null
                    ? access.setUser(name, all)
                    : access.setUser(name, all, ConnectOptions.secret(newSecretFile))));
    return ExitCode.OK;
  }
}
