package io.quorate.server.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/**
 * Executes the last verb of a command line with the options of the verbs above it: what stands
 * before the name of a verb counts as if it stood after it. The parser would assign it to the verb
 * above, which is not executed. An option that the executed verb does not have is refused.
 */
public final class InheritedOptions implements IExecutionStrategy {
  @Override
  public int execute(ParseResult parsed) {
    inherit(parsed);
    return new RunLast().execute(parsed);
  }

  /**
   * Sets the options of each verb that stand before its name.
   *
   * @throws ParameterException if the verb has no such option, or the option stands after it too
   */
  public static void inherit(ParseResult parsed) {
    List<OptionSpec> given = new ArrayList<>();
    for (ParseResult above = parsed; above.hasSubcommand(); above = above.subcommand()) {
      if (above.isUsageHelpRequested() || above.isVersionHelpRequested()) {
        return;
      }
      given.addAll(above.matchedOptions());
      ParseResult verb = above.subcommand();
      given.forEach(option -> set(option, verb));
    }
  }

  private static void set(OptionSpec given, ParseResult verb) {
    OptionSpec own = verb.commandSpec().optionsMap().get(given.longestName());
    if (own == null || !own.typeInfo().getType().equals(given.typeInfo().getType())) {
      throw refusal(verb, "%2$s has no option %1$s.", given);
    }
    if (verb.hasMatchedOption(own)) {
      throw refusal(verb, "Option %s stands before and after %s.", given);
    }
    own.setValue(given.getValue());
  }

  private static ParameterException refusal(ParseResult verb, String sentence, OptionSpec option) {
    return new ParameterException(
        verb.commandSpec().commandLine(),
        String.format(
            Locale.ROOT, sentence, option.longestName(), verb.commandSpec().qualifiedName()));
  }
}
