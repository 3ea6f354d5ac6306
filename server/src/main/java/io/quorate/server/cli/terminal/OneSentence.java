package io.quorate.server.cli.terminal;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports an error in a command line in one sentence, and refers to the help. */
public final class OneSentence implements IParameterExceptionHandler {
  private static final int SUGGESTIONS_MAX = 2;

  /** The parser names Java types in its messages. */
  private static final Pattern NOT_A_NUMBER = Pattern.compile("is not an? (?:long|int)$");

  private static final String A_NUMBER = "is not a whole number, or too large";

  @Override
  public int handleParseException(ParameterException failure, String[] arguments) {
    CommandLine command = failure.getCommandLine();
    command.getErr().println(of(failure));
    command.getErr().println("See " + command.getCommandSpec().qualifiedName() + " --help.");
    return ExitCode.USAGE.code();
  }

  /** The error in one sentence. */
  public static String of(ParameterException failure) {
    String message =
        unknownVerb(failure)
            .or(() -> tooManyArguments(failure))
            .orElseGet(() -> NOT_A_NUMBER.matcher(failure.getMessage()).replaceFirst(A_NUMBER));
    return message.endsWith(".") || message.endsWith("?") ? message : message + ".";
  }

  private static Optional<String> tooManyArguments(ParameterException failure) {
    return failure instanceof UnmatchedArgumentException unmatched
            && !unmatched.getUnmatched().get(0).startsWith("-")
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "%s takes no argument \"%s\" there",
                failure.getCommandLine().getCommandName(),
                unmatched.getUnmatched().get(0)))
        : Optional.empty();
  }

  private static Optional<String> unknownVerb(ParameterException failure) {
    CommandLine command = failure.getCommandLine();
    if (!(failure instanceof UnmatchedArgumentException unmatched)
        || command.getSubcommands().isEmpty()
        || unmatched.getUnmatched().get(0).startsWith("-")) {
      return Optional.empty();
    }
    List<String> similar =
        unmatched.getSuggestions().stream()
            .filter(command.getSubcommands()::containsKey)
            .limit(SUGGESTIONS_MAX)
            .toList();
    return Optional.of(
        String.format(
            Locale.ROOT,
            "There is no verb %s%s",
            unmatched.getUnmatched().get(0),
            similar.isEmpty() ? "." : "; did you mean " + String.join(" or ", similar) + "?"));
  }
}
