package io.quorate.server.cli;

import io.quorate.client.CompareAndSetResult;
import io.quorate.client.QuorateClient;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import io.quorate.server.cli.verb.JsonOption;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Replaces a value if it equals the expected value. */
@Command(
    name = "cas",
    description = {
      "Replace the value of a key if it is what is expected.",
      "Exits with 1, and changes nothing, if it is not.",
      "  cas KEY EXPECTED NEW      cas KEY NEW --absent      cas KEY EXPECTED --delete"
    })
final class CompareAndSetCommand extends ClientVerb {
  @Parameters(
      index = "0",
      paramLabel = "KEY",
      description = "Text, or bytes with --hex; not empty.")
  private String key;

  @Parameters(
      index = "1..*",
      arity = "0..2",
      paramLabel = "VALUE",
      showDefaultValue = Visibility.NEVER,
      description = "The expected value, unless --absent; then the new one, unless --delete.")
  private List<String> values = List.of();

  @Option(names = "--hex", description = "KEY, VALUE and what is printed are hexadecimal digits.")
  private boolean hex;

  @Option(names = "--absent", description = "Expect that there is no such key.")
  private boolean absent;

  @Option(names = "--delete", description = "Remove the key instead of giving it a new value.")
  private boolean delete;

  @Mixin private JsonOption json;

  CompareAndSetCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected void checkParameters() {
    if (absent && delete) {
      throw usageError("cas takes --absent or --delete, not both: there is nothing to remove.");
    }
    int expectedCount = (absent ? 0 : 1) + (delete ? 0 : 1);
    if (values.size() != expectedCount) {
      throw usageError(
          "cas takes a key and, with these options, "
              + expectedCount
              + (expectedCount == 1 ? " value" : " values")
              + ", not "
              + values.size()
              + ".");
    }
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    Notation notation = Notation.of(hex);
    byte[] keyBytes = key(notation, key);
    byte[] first = bytes(notation, absent ? "The new value" : "The expected value", values.get(0));
    byte[] last = bytes(notation, "The new value", values.get(values.size() - 1));
    CompareAndSetResult<byte[]> result =
        absent
            ? client.putIfAbsent(keyBytes, first)
            : delete
                ? client.compareAndDelete(keyBytes, first)
                : client.compareAndSet(keyBytes, first, last);
    if (json.isSet()) {
      Optional<byte[]> replacement = delete ? Optional.empty() : Optional.of(last);
      Optional<byte[]> current = result.swapped() ? replacement : result.current();
      json.print(
          terminal().out(),
          "key",
          notation.line(keyBytes),
          "swapped",
          result.swapped(),
          "value",
          current.map(notation::line));
      return result.swapped() ? ExitCode.OK : ExitCode.NOT_MET;
    }
    if (result.swapped()) {
      return ExitCode.OK;
    }
    printError(
        result
            .current()
            .map(current -> "The value is another: " + notation.line(current))
            .orElse("There is no key \"" + notation.line(keyBytes) + "\"."));
    return ExitCode.NOT_MET;
  }
}
