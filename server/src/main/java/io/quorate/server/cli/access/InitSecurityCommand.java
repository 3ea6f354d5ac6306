package io.quorate.server.cli.access;

import io.quorate.client.DeniedException;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.AccessAdministration;
import io.quorate.client.cluster.UsersAndRoles;
import io.quorate.model.Role;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.ConnectOptions;
import io.quorate.server.cli.verb.Connections;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Adds the first user of a cluster. */
@Command(
    name = "init-security",
    description = {
      "Add the first user of a cluster, with the role "
          + Role.ADMIN
          + ", which may do"
          + " everything. Until then nobody but nodes may do anything.",
      "Run it where a node runs, with the certificate of the node (--certs)."
    })
public final class InitSecurityCommand extends ClientVerb {
  @Parameters(paramLabel = "NAME", description = "The name of the user.")
  private String name;

  @Option(
      names = "--new-secret-file",
      paramLabel = "FILE",
      description = "The file whose first line is his secret (default: he presents a certificate).")
  private Path newSecretFile;

  public InitSecurityCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    AccessAdministration access = client.async().access();
    UsersAndRoles present;
    try {
      present = await(access.list());
    } catch (DeniedException e) {
      printError(e.getMessage() + " Use the certificate of a node (--certs).");
      return ExitCode.REFUSED;
    }
    if (!present.users().isEmpty()) {
      printError(
          String.format(
              Locale.ROOT,
              "The cluster has users already, such as %s; change them with \"quorate user set\", as one with the"
                  + " right users or with the certificate of a node.",
              present.users().get(0).name()));
      return ExitCode.REFUSED;
    }
    Set<String> roles = Set.of(Role.ADMIN);
    await(access.setRole(Role.admin()));
    await(
        checked(
            () ->
                newSecretFile == null
                    ? access.setUser(name, roles)
                    : access.setUser(name, roles, ConnectOptions.secret(newSecretFile))));
    terminal()
        .out()
        .printf(
            Locale.ROOT,
            "User %s may do everything; add others with \"quorate role set\" and \"quorate user"
                + " set\".%n",
            name);
    return ExitCode.OK;
  }
}
