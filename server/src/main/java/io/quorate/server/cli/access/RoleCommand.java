package io.quorate.server.cli.access;

import io.quorate.client.QuorateClient;
import io.quorate.model.Role;
import io.quorate.server.cli.format.JsonText;
import io.quorate.server.cli.format.Rendering;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the roles of a cluster. The verbs that change them are below it. */
@Command(
    name = "role",
    description = {
      "List the roles of the cluster: what their users may do with which keys, and with the cluster.",
      "The verbs below change them; a change is in force everywhere within a second."
    })
public final class RoleCommand extends ClientVerb {
  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  private RoleCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  /** Creates the command line with those of the verbs below it. */
  public static CommandLine commandLine(Terminal terminal, Connections connections) {
    return new CommandLine(new RoleCommand(terminal, connections))
        .addSubcommand(new RoleSetCommand(terminal, connections))
        .addSubcommand(new RoleRemoveCommand(terminal, connections));
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    List<Role> roles = await(client.async().access().list()).roles();
    terminal().out().print(json ? json(roles) : text(roles));
    return ExitCode.OK;
  }

  /** One line for each prefix, and one for the cluster. */
  private static String text(List<Role> roles) {
    TextTable table = TextTable.ofTexts("ROLE", "MAY", "WHERE");
    for (Role role : roles) {
      for (Role.Grant grant : role.grants()) {
        String prefix = Rendering.line(grant.prefix().bytes());
        table.add(role.name(), names(grant.rights()), prefix.isEmpty() ? "all keys" : prefix);
      }
      if (!role.administration().isEmpty()) {
        table.add(role.name(), names(role.administration()), "the cluster");
      }
      if (role.grants().isEmpty() && role.administration().isEmpty()) {
        table.add(role.name(), "-", "-");
      }
    }
    return table.render();
  }

  private static String names(Collection<? extends Enum<?>> rights) {
    return String.join(",", nameList(rights));
  }

  private static List<String> nameList(Collection<? extends Enum<?>> rights) {
    return rights.stream().map(right -> right.name().toLowerCase(Locale.ROOT)).sorted().toList();
  }

  private static String json(List<Role> roles) {
    return JsonText.of(Map.of("roles", roles.stream().map(RoleCommand::json).toList())) + "\n";
  }

  private static Map<String, Object> json(Role role) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", role.name());
    json.put("grants", role.grants().stream().map(RoleCommand::json).toList());
    json.put("administration", nameList(role.administration()));
    return json;
  }

  private static Map<String, Object> json(Role.Grant grant) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("prefix", Rendering.line(grant.prefix().bytes()));
    json.put("rights", nameList(grant.rights()));
    return json;
  }
}
