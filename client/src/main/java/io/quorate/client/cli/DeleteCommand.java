package io.quorate.client.cli;

import io.quorate.client.QuorateClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Removes a key. */
@Command(name = "delete", description = "Remove a key. Not an error if there is none.")
final class DeleteCommand extends ClientVerb {
  @Parameters(index = "0", paramLabel = "KEY", description = "Text; at least one character.")
  private String key;

  DeleteCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode run(QuorateClient client) {
    client.delete(utf8(key));
    return ExitCode.OK;
  }
}
