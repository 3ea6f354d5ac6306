package io.quorate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.server.cli.terminal.InheritedOptions;
import io.quorate.server.cli.terminal.Terminal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** What holds of each verb of both programs. */
class EveryVerbTest {
  /** For each type of an option, a text that is not its default. */
  private static final Map<Class<?>, String> TEXTS =
      Map.of(
          String.class, "raft",
          Path.class, "elsewhere",
          Duration.class, "7s",
          Integer.class, "7",
          int.class, "7",
          boolean.class, "");

  private static final Pattern OF_A_PROGRAMMER =
      Pattern.compile("%[nsd]|\\$\\{|Optional|\\bnull\\b|: \\[]|: \\{}|java\\.|io\\.quorate");

  /**
   * A verb that is below another one.
   *
   * @param path the names of both, without that of the program
   */
  record Below(List<String> path, CommandLine above, CommandLine verb) {
    @Override
    public String toString() {
      return String.join(" ", path);
    }
  }

  private static Stream<CommandLine> programs() {
    return Stream.of(io.quorate.server.Main.commandLine(Terminal.standard()), Main.commandLine());
  }

  static List<Below> verbsBelowVerbs() {
    List<Below> found = new ArrayList<>();
    programs().forEach(program -> collect(List.of(), program, found));
    assertThat(found)
        .extracting(Below::toString)
        .contains("node drain", "region split", "dev stop", "bench kv", "paper acqr");
    return found;
  }

  private static void collect(List<String> path, CommandLine above, List<Below> found) {
    above
        .getSubcommands()
        .forEach(
            (name, verb) -> {
              List<String> whole = new ArrayList<>(path);
              whole.add(name);
              if (!path.isEmpty()) {
                found.add(new Below(whole, above, verb));
              }
              collect(whole, verb, found);
            });
  }

  @Test
  void eachProgramExecutesVerbsWithTheOptionsBeforeThem() {
    programs()
        .forEach(
            program ->
                assertThat(program.getExecutionStrategy()).isInstanceOf(InheritedOptions.class));
  }

  @ParameterizedTest
  @MethodSource("verbsBelowVerbs")
  void anOptionBeforeAVerbCountsForItOrIsRefused(Below below) {
    CommandLine program = below.above();
    while (program.getParent() != null) {
      program = program.getParent();
    }
    for (OptionSpec option : below.above().getCommandSpec().options()) {
      if (option.usageHelp() || option.versionHelp()) {
        continue;
      }
      List<String> line = new ArrayList<>(below.path());
      line.addAll(line.size() - 1, argument(option));
      line.addAll(arguments(below.verb()));
      ParseResult parsed = program.parseArgs(line.toArray(String[]::new));
      OptionSpec own = below.verb().getCommandSpec().findOption(option.longestName());
      if (own == null) {
        assertThatThrownBy(() -> InheritedOptions.inherit(parsed))
            .as(String.join(" ", line))
            .isInstanceOf(ParameterException.class)
            .hasMessageContaining("has no option " + option.longestName());
      } else {
        InheritedOptions.inherit(parsed);
        Object value = own.getValue();
        line.removeAll(argument(option));
        line.addAll(argument(option));
        program.parseArgs(line.toArray(String[]::new));
        assertThat(value).as(String.join(" ", line)).isEqualTo(own.getValue());
      }
    }
  }

  private static List<String> argument(OptionSpec option) {
    List<Class<?>> types = List.of(option.typeInfo().getAuxiliaryTypes());
    String text = TEXTS.get(types.get(types.size() - 1));
    assertThat(text).as("a value for %s", option).isNotNull();
    return text.isEmpty() || option.arity().max() == 0
        ? List.of(option.longestName())
        : List.of(option.longestName() + "=" + text);
  }

  /** Values for the positional parameters that a verb must have. */
  private static List<String> arguments(CommandLine verb) {
    return verb.getCommandSpec().positionalParameters().stream()
        .map(PositionalParamSpec::arity)
        .flatMap(arity -> Collections.nCopies(arity.min(), "1").stream())
        .toList();
  }

  static Stream<CommandLine> verbs() {
    List<CommandLine> verbs = new ArrayList<>();
    programs().forEach(program -> addWithAllBelow(program, verbs));
    return verbs.stream();
  }

  private static void addWithAllBelow(CommandLine verb, List<CommandLine> to) {
    to.add(verb);
    verb.getSubcommands().values().forEach(below -> addWithAllBelow(below, to));
  }

  @Test
  void noHelpHasWhatOnlyAProgrammerReads() {
    List<String> found = new ArrayList<>();
    verbs()
        .forEach(
            verb -> {
              StringWriter help = new StringWriter();
              verb.usage(new PrintWriter(help));
              help.toString()
                  .lines()
                  .filter(line -> OF_A_PROGRAMMER.matcher(line).find())
                  .forEach(line -> found.add(verb.getCommandSpec().qualifiedName() + ": " + line));
            });
    assertThat(found).isEmpty();
  }
}
