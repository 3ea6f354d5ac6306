package io.quorate.server;

import io.quorate.server.cli.terminal.Terminal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Lists every verb of {@code quorate} by purpose, including the verbs of the measurement programs.
 */
public final class Verbs implements IHelpSectionRenderer {
  /**
   * The verbs that the launcher runs from another jar of a checkout, with the first line of their
   * help.
   */
  public static final Map<String, String> OF_A_CHECKOUT = ofACheckout();

  private static final Map<String, List<String>> GROUPS = groups();
  private static final String LINE = "  %-12s %s%n";

  private static Map<String, String> ofACheckout() {
    Map<String, String> verbs = new LinkedHashMap<>();
    verbs.put("bench", "Measure the database.");
    verbs.put("paper", "Repeat the evaluation of a paper.");
    verbs.put(
        "torture", "Inject faults into a cluster under load and check that it is linearizable.");
    verbs.put(
        "simulate",
        "Run the core of Rabia and its quorum reads under simulated faults, one run per seed.");
    verbs.put("fuzz", "Search for bytes that break a decoder.");
    return verbs;
  }

  private static Map<String, List<String>> groups() {
    Map<String, List<String>> groups = new LinkedHashMap<>();
    groups.put("Try it on this machine:", List.of("dev"));
    groups.put(
        "Keys and values:",
        List.of(
            "shell", "put", "get", "delete", "cas", "incr", "append", "getput", "batch", "scan",
            "count", "load"));
    groups.put(
        "Operate a cluster:",
        List.of(
            "server",
            "status",
            "health",
            "verify",
            "node",
            "region",
            "placement",
            "move-leader",
            "move-replica",
            "certs",
            "init-security",
            "user",
            "role",
            "probe"));
    groups.put("Measure and verify, from a checkout:", List.copyOf(OF_A_CHECKOUT.keySet()));
    groups.put("About this program:", List.of("help", "generate-completion", "generate-man"));
    return groups;
  }

  /** Adds the verbs that every command line has, and shows the list of verbs in its help. */
  static void describe(CommandLine commands, Terminal terminal) {
    commands.addSubcommand(new CommandLine.HelpCommand());
    commands.addSubcommand(new picocli.AutoComplete.GenerateCompletion());
    commands.addSubcommand(new ManPage(terminal));
    commands.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, new Verbs());
  }

  @Override
  public String render(Help help) {
    StringBuilder text = new StringBuilder();
    GROUPS.forEach(
        (title, verbs) -> {
          text.append(String.format(Locale.ROOT, "%n%s%n", title));
          verbs.forEach(
              verb -> text.append(String.format(Locale.ROOT, LINE, verb, description(help, verb))));
        });
    return text.toString();
  }

  private static String description(Help help, String verb) {
    String elsewhere = OF_A_CHECKOUT.get(verb);
    if (elsewhere != null) {
      return elsewhere;
    }
    UsageMessageSpec usage = help.subcommands().get(verb).commandSpec().usageMessage();
    // The verb "help" of the library begins its description with an empty line.
    return usage.header().length > 0 ? usage.header()[0] : usage.description()[0];
  }
}
