package io.quorate.server.cli.access;

import io.quorate.client.QuorateClient;
import io.quorate.model.Key;
import io.quorate.model.Role;
import io.quorate.model.Role.Administration;
import io.quorate.model.Role.DataRight;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Adds or changes a role. */
@Command(
    name = "set",
    description = {
      "Add a role, or change the one of this name, so that it allows this and nothing else.",
      "Gets need read; puts and deletes write; increments and compare-and-set, which return values,"
          + " both; scans and counts scan, for the whole range."
    })
final class RoleSetCommand extends ClientVerb {
  @Parameters(paramLabel = "NAME", description = "The name of the role.")
  private String name;

  @Option(
      names = "--allow",
      showDefaultValue = Visibility.NEVER,
      paramLabel = "RIGHT[,...]=PREFIX",
      description =
          "The rights read, write and scan, or all of them, on the keys that begin with a prefix; on"
              + " all keys if it is empty. May be repeated.")
  private List<String> grants = List.of();

  @Option(
      names = "--may",
      showDefaultValue = Visibility.NEVER,
      paramLabel = "RIGHT[,...]",
      split = ",",
      description =
          "The rights on the cluster: nodes, regions, users, verify and status, or all. Each includes"
              + " status, which shows the bounds of regions, and these are keys. Who has users may"
              + " give himself every right.")
  private List<String> administration = List.of();

  @Option(names = "--hex", description = "Prefixes are hexadecimal digits.")
  private boolean hex;

  RoleSetCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    Set<Administration> may = rights(Administration.class, administration.stream());
    List<Role.Grant> allowed = grants.stream().map(this::grant).toList();
    await(checked(() -> client.async().access().setRole(new Role(name, allowed, may))));
    return ExitCode.OK;
  }

  private Role.Grant grant(String text) {
    int end = text.indexOf('=');
    if (end < 0) {
      throw usageError("--allow has the form RIGHTS=PREFIX, such as read,scan=app/.");
    }
    return new Role.Grant(
        Key.wrap(bytes(Notation.of(hex), "The prefix", text.substring(end + 1))),
        rights(DataRight.class, Stream.of(text.substring(0, end).split(","))));
  }

  private <R extends Enum<R>> Set<R> rights(Class<R> all, Stream<String> names) {
    Set<R> rights = EnumSet.noneOf(all);
    names.forEach(
        each -> {
          if (each.equals("all")) {
            rights.addAll(EnumSet.allOf(all));
          } else {
            rights.add(right(all, each));
          }
        });
    return rights;
  }

  private <R extends Enum<R>> R right(Class<R> all, String text) {
    return EnumSet.allOf(all).stream()
        .filter(right -> right.name().toLowerCase(Locale.ROOT).equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                usageError(
                    "There is no right \""
                        + text
                        + "\"; there are "
                        + EnumSet.allOf(all).stream()
                            .map(right -> right.name().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(", "))
                        + ", and all."));
  }
}
