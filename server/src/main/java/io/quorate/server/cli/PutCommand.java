package io.quorate.server.cli;

import io.quorate.client.QuorateClient;
import io.quorate.protocol.operation.Limits;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets the value of a key. */
@Command(
    name = "put",
    description = {
      "Set the value of a key.",
      "A key or value that begins with a dash follows --, as in: put -- KEY -1"
    })
final class PutCommand extends ClientVerb {
  @Parameters(
      index = "0",
      paramLabel = "KEY",
      description = "Text, or bytes with --hex; not empty.")
  private String key;

  @Parameters(
      index = "1",
      paramLabel = "VALUE",
      description = "Text, or bytes with --hex; - reads standard input as it is, also with --hex.")
  private String value;

  @Option(names = "--hex", description = "KEY and VALUE are hexadecimal digits.")
  private boolean hex;

  PutCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) throws IOException {
    Notation notation = Notation.of(hex);
    byte[] keyBytes = key(notation, key);
    // One byte more than the maximum, so that the client rejects a value that is too long.
    byte[] bytes =
        value.equals("-")
            ? terminal().in().readNBytes(Limits.VALUE_BYTES_MAX + 1)
            : bytes(notation, "The value", value);
    client.put(keyBytes, bytes);
    return ExitCode.OK;
  }
}
