package io.quorate.server.cli;

import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import io.quorate.server.cli.verb.JsonOption;
import java.io.PrintStream;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints keys and values in key order. */
@Command(
    name = "scan",
    description = {
      "Print keys and values in key order, one pair a line with a tab between them.",
      "What is not printable text appears as \\xNN, a backslash as two; load reads these lines."
    })
final class ScanCommand extends ClientVerb {
  private static final int ROWS_BETWEEN_CHECKS = 1000;

  @Parameters(
      index = "0",
      arity = "0..1",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      paramLabel = "START",
      description = "The first key; from the beginning where it is missing.")
  private String start;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "END",
      showDefaultValue = Visibility.NEVER,
      description = "The first key beyond; to the end where it is missing.")
  private Optional<String> end = Optional.empty();

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      showDefaultValue = Visibility.NEVER,
      description = "Only keys that begin so.")
  private Optional<String> prefix = Optional.empty();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "9223372036854775807",
      showDefaultValue = Visibility.NEVER,
      description = "Stop after so many; 1 or more. All where it is missing.")
  private long limit;

  @Option(names = "--reverse", description = "From the highest key of the range downwards.")
  private boolean reverse;

  @Option(names = "--keys-only", description = "Print keys without their values.")
  private boolean keysOnly;

  @Option(
      names = "--hex",
      description = "START, END, the prefix and what is printed are hexadecimal digits.")
  private boolean hex;

  @Mixin private JsonOption json;

  ScanCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected void checkParameters() {
    if (limit < 1) {
      throw usageError("--limit is 1 or more, not " + limit + ".");
    }
    if (prefix.isPresent() && !start.isEmpty()) {
      throw usageError("scan takes START and END, or --prefix, not both.");
    }
  }

  @Override
  protected boolean isOneRequest() {
    return false;
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    Notation notation = Notation.of(hex);
    KeyRange range = range(notation);
    QuorateClient scanning = client.withGuarantee(Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED);
    long rows = 0;
    for (KeyValue row : reverse ? scanning.scanReverse(range) : scanning.scan(range)) {
      print(notation.line(row.key()), notation, row.value());
      rows++;
      boolean readerIsGone = rows % ROWS_BETWEEN_CHECKS == 0 && terminal().out().checkError();
      if (rows == limit || readerIsGone) {
        break;
      }
    }
    return ExitCode.OK;
  }

  private KeyRange range(Notation notation) {
    if (prefix.isPresent()) {
      return KeyRange.ofPrefix(Key.wrap(bytes(notation, "The prefix", prefix.get())));
    }
    Key first = Key.wrap(bytes(notation, "START", start));
    Optional<Key> beyond = end.map(key -> Key.wrap(bytes(notation, "END", key)));
    if (beyond.isPresent() && beyond.get().compareTo(first) < 0) {
      throw usageError("START is at or before END: " + first + " is after " + beyond.get() + ".");
    }
    return new KeyRange(first, beyond);
  }

  private void print(String key, Notation notation, byte[] value) {
    PrintStream out = terminal().out();
    if (json.isSet() && keysOnly) {
      json.print(out, "key", key);
    } else if (json.isSet()) {
      json.print(out, "key", key, "value", notation.line(value));
    } else {
      // Not println: a line ends with a line feed on every system, which is what load reads.
      out.print(keysOnly ? key + '\n' : key + '\t' + notation.line(value) + '\n');
    }
  }
}
