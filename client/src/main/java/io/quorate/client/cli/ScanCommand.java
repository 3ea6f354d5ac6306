package io.quorate.client.cli;

import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.consensus.Guarantee;
import java.util.Arrays;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints keys and values in key order. */
@Command(
    name = "scan",
    description = {
      "Print keys and values in key order, one pair a line with a tab between them.",
      "What is not printable text appears as \\xNN, a backslash as two."
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
      paramLabel = "TEXT",
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

  @Option(names = "--hex", description = "Print keys and values in hexadecimal digits.")
  private boolean hex;

  ScanCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  void checkParameters() {
    if (limit < 1) {
      throw misused("--limit is 1 or more, not " + limit + ".");
    }
    if (prefix.isPresent() && !start.isEmpty()) {
      throw misused("scan takes START and END, or --prefix, not both.");
    }
  }

  @Override
  ExitCode run(QuorateClient client) {
    byte[] first = utf8(prefix.orElse(start));
    Optional<byte[]> beyond = prefix.isPresent() ? afterPrefix(first) : end.map(ClientVerb::utf8);
    long rows = 0;
    for (KeyValue row : client.scan(first, beyond, Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED)) {
      terminal().out().println(shown(row.key()) + '\t' + shown(row.value()));
      rows++;
      boolean readerIsGone = rows % ROWS_BETWEEN_CHECKS == 0 && terminal().out().checkError();
      if (rows == limit || readerIsGone) {
        break;
      }
    }
    return ExitCode.OK;
  }

  private String shown(byte[] bytes) {
    return hex ? Rendering.hex(bytes) : Rendering.line(bytes);
  }

  /** The lowest key above every key with this prefix; empty if there is none. */
  static Optional<byte[]> afterPrefix(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == (byte) 0xff) {
      length--;
    }
    if (length == 0) {
      return Optional.empty();
    }
    byte[] after = Arrays.copyOf(prefix, length);
    after[length - 1]++;
    return Optional.of(after);
  }
}
