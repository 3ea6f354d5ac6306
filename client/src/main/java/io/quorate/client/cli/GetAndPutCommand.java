package io.quorate.client.cli;

import io.quorate.client.QuorateClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets a value and prints the one before. */
@Command(
    name = "getput",
    description = {
      "Set the value of a key and print what it was, in one step.",
      "Prints nothing if there was none."
    })
final class GetAndPutCommand extends ClientVerb {
  @Parameters(
      index = "0",
      paramLabel = "KEY",
      description = "Text, or bytes with --hex; not empty.")
  private String key;

  @Parameters(index = "1", paramLabel = "VALUE", description = "Text, or bytes with --hex.")
  private String value;

  @Option(names = "--hex", description = "KEY, VALUE and what is printed are hexadecimal digits.")
  private boolean hex;

  GetAndPutCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  ExitCode run(QuorateClient client) {
    Notation notation = Notation.of(hex);
    client
        .getAndPut(key(notation, key), bytes(notation, "The value", value))
        .ifPresent(before -> terminal().out().println(notation.line(before)));
    return ExitCode.OK;
  }
}
