package io.quorate.client.cli;

import io.quorate.client.QuorateClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes a key. */
@Command(name = "delete", description = "Remove a key. Not an error if there is none.")
final class DeleteCommand extends ClientVerb {
  @Parameters(
      index = "0",
      paramLabel = "KEY",
      description = "Text, or bytes with --hex; not empty.")
  private String key;

  @Option(names = "--hex", description = "KEY is hexadecimal digits.")
  private boolean hex;

  DeleteCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  ExitCode run(QuorateClient client) {
    client.delete(key(Notation.of(hex), key));
    return ExitCode.OK;
  }
}
