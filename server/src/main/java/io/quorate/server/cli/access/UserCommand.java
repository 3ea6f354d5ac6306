package io.quorate.server.cli.access;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.UserDescriptor;
import io.quorate.server.cli.format.JsonText;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the users of a cluster. The verbs that change them are below it. */
@Command(
    name = "user",
    description = {
      "List the users of the cluster with their roles.",
      "The verbs below change them; a change is in force everywhere within a second."
    })
public final class UserCommand extends ClientVerb {
  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  private UserCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  /** Creates the command line with those of the verbs below it. */
  public static CommandLine commandLine(Terminal terminal, Connections connections) {
    return new CommandLine(new UserCommand(terminal, connections))
        .addSubcommand(new UserSetCommand(terminal, connections))
        .addSubcommand(new UserRemoveCommand(terminal, connections));
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    List<UserDescriptor> users = await(client.async().access().list()).users();
    terminal().out().print(json ? json(users) : text(users));
    return ExitCode.OK;
  }

  private static String text(List<UserDescriptor> users) {
    TextTable table = TextTable.ofTexts("USER", "ROLES", "SECRET");
    for (UserDescriptor user : users) {
      table.add(user.name(), roles(user), user.hasSecret() ? "yes" : "no");
    }
    return table.render();
  }

  private static String roles(UserDescriptor user) {
    return user.roles().isEmpty() ? "-" : String.join(",", new TreeSet<>(user.roles()));
  }

  private static String json(List<UserDescriptor> users) {
    return JsonText.of(Map.of("users", users.stream().map(UserCommand::json).toList())) + "\n";
  }

  private static Map<String, Object> json(UserDescriptor user) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", user.name());
    json.put("roles", List.copyOf(new TreeSet<>(user.roles())));
    json.put("hasSecret", user.hasSecret());
    return json;
  }
}
