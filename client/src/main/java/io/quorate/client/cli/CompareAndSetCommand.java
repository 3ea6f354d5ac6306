package io.quorate.client.cli;

import io.quorate.client.CompareAndSetResult;
import io.quorate.client.QuorateClient;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Replaces a value if it is what is expected. */
@Command(
    name = "cas",
    description = {
      "Replace the value of a key if it is what is expected.",
      "Exits with 1, and changes nothing, if it is not.",
      "  cas KEY EXPECTED NEW      cas KEY NEW --absent      cas KEY EXPECTED --delete"
    })
final class CompareAndSetCommand extends ClientVerb {
  @Parameters(index = "0", paramLabel = "KEY", description = "Text; at least one character.")
  private String key;

  @Parameters(
      index = "1..*",
      arity = "0..2",
      paramLabel = "VALUE",
      description = "The expected value, unless --absent; then the new one, unless --delete.")
  private List<String> values = List.of();

  @Option(names = "--absent", description = "Expect that there is no such key.")
  private boolean absent;

  @Option(names = "--delete", description = "Remove the key instead of giving it a new value.")
  private boolean delete;

  CompareAndSetCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  void checkParameters() {
    int wanted = (absent ? 0 : 1) + (delete ? 0 : 1);
    if (values.size() != wanted) {
      throw misused(
          "cas takes a key and, with these options, "
              + wanted
              + (wanted == 1 ? " value" : " values")
              + ", not "
              + values.size()
              + ".");
    }
  }

  @Override
  ExitCode run(QuorateClient client) {
    Optional<byte[]> expected = absent ? Optional.empty() : Optional.of(utf8(values.get(0)));
    Optional<byte[]> replacement =
        delete ? Optional.empty() : Optional.of(utf8(values.get(values.size() - 1)));
    CompareAndSetResult result = client.compareAndSet(utf8(key), expected, replacement);
    if (result.swapped()) {
      return ExitCode.OK;
    }
    complain(
        result
            .current()
            .map(current -> "The value is another: " + Rendering.line(current))
            .orElse("There is no such key."));
    return ExitCode.NOT_MET;
  }
}
