package io.quorate.server;

import io.quorate.server.cli.terminal.Terminal;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Spec;

/** {@code generate-man}: prints a page for {@code man} with every verb and option. */
@Command(
    name = "generate-man",
    mixinStandardHelpOptions = true,
    description = {
      "Print a page for man that describes every verb and option.",
      "  quorate generate-man > /usr/local/share/man/man1/quorate.1"
    })
final class ManPage implements Callable<Integer> {
  /** The exit codes have the same meaning for all verbs. */
  private static final List<String> EXIT_STATUS =
      List.of(
          "0  done",
          "1  not found, a compare-and-set that did not match, or a check that is not met",
          "2  wrong use, configuration or file; nothing was sent",
          "3  unavailable, and nothing happened",
          "4  in doubt: a write may have taken effect",
          "5  refused by the database");

  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "QUORATE_AT", "Nodes of the cluster, HOST:PORT[,...], where --at is missing.",
          "QUORATE_JAVA_OPTS", "Further flags of the JVM.",
          "QUORATE_ARCHIVE", "off: do without an archive of classes, which the launcher makes.",
          "JAVA_HOME", "The JDK.");

  private final Terminal terminal;

  @Spec private CommandSpec spec;

  ManPage(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    PrintStream out = terminal.out();
    CommandLine program = spec.commandLine().getParent();
    out.print(".TH QUORATE 1 \"\" \"Quorate\" \"User Commands\"\n");
    section(out, "NAME");
    text(out, "quorate - a replicated key-value database");
    section(out, "SYNOPSIS");
    text(out, "quorate VERB [OPTION]... [ARGUMENT]...");
    section(out, "VERBS");
    program.getSubcommands().values().stream()
        .distinct()
        .filter(verb -> !verb.getCommandSpec().usageMessage().hidden())
        .forEach(verb -> verb(out, "quorate", verb));
    Verbs.OF_A_CHECKOUT.forEach(
        (verb, description) -> item(out, "quorate " + verb, List.of(description)));
    section(out, "ENVIRONMENT");
    ENVIRONMENT.keySet().stream()
        .sorted()
        .forEach(name -> item(out, name, List.of(ENVIRONMENT.get(name))));
    section(out, "EXIT STATUS");
    EXIT_STATUS.forEach(line -> item(out, line.substring(0, 1), List.of(line.substring(3))));
    out.flush();
    return 0;
  }

  private static void verb(PrintStream out, String parent, CommandLine verb) {
    CommandSpec spec = verb.getCommandSpec();
    String name = parent + " " + spec.name();
    out.print(".SS " + roff(name) + "\n");
    Help help = new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF));
    text(out, help.synopsis(0).strip().replaceAll("\\s+", " "));
    for (String line : spec.usageMessage().description()) {
      out.print(".br\n");
      text(out, line);
    }
    for (PositionalParamSpec parameter : spec.positionalParameters()) {
      item(out, parameter.paramLabel(), List.of(parameter.description()));
    }
    for (OptionSpec option : spec.options()) {
      if (!option.hidden()) {
        String names = String.join(", ", option.names());
        boolean hasValue = option.arity().max() > 0;
        item(
            out,
            hasValue ? names + " " + option.paramLabel() : names,
            List.of(option.description()));
      }
    }
    spec.subcommands().values().stream().distinct().forEach(inner -> verb(out, name, inner));
  }

  private static void section(PrintStream out, String title) {
    out.print(".SH " + title + "\n");
  }

  private static void item(PrintStream out, String term, List<String> description) {
    out.print(".TP\n.B " + roff(term) + "\n");
    description.forEach(line -> text(out, line));
  }

  private static void text(PrintStream out, String line) {
    // Without the zero-width character, roff would interpret a line that begins with a dot.
    out.print("\\&" + roff(line) + "\n");
  }

  /** Escapes the characters that are special in roff. */
  private static String roff(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-");
  }
}
