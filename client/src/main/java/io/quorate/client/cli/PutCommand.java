package io.quorate.client.cli;

import io.quorate.client.QuorateClient;
import io.quorate.operation.Limits;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Sets the value of a key. */
@Command(name = "put", description = "Set the value of a key.")
final class PutCommand extends ClientVerb {
  @Parameters(index = "0", paramLabel = "KEY", description = "Text; at least one character.")
  private String key;

  @Parameters(
      index = "1",
      paramLabel = "VALUE",
      description = "Text; - reads standard input as it is.")
  private String value;

  PutCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode run(QuorateClient client) throws IOException {
    // One byte more than can be stored, so that the client notices what is too long.
    byte[] bytes =
        value.equals("-") ? terminal().in().readNBytes(Limits.VALUE_BYTES_MOST + 1) : utf8(value);
    client.put(utf8(key), bytes);
    return ExitCode.OK;
  }
}
