package io.quorate.server.cli;

import io.quorate.client.QuorateClient;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.format.Rendering;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import io.quorate.server.cli.verb.JsonOption;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the value of a key. */
@Command(
    name = "get",
    description = {
      "Print the value of a key.",
      "Text is followed by a line feed; anything else, and all with --raw, is written as it is. "
          + "Exits with 1 if there is no such key."
    })
final class GetCommand extends ClientVerb {
  @Parameters(
      index = "0",
      paramLabel = "KEY",
      description = "Text, or bytes with --hex; not empty.")
  private String key;

  @Option(names = "--hex", description = "KEY and the printed value are hexadecimal digits.")
  private boolean hex;

  @Option(
      names = "--raw",
      description = "Write the bytes of the value and nothing else, also with --hex.")
  private boolean raw;

  @Mixin private JsonOption json;

  GetCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) throws IOException {
    Notation notation = Notation.of(hex);
    byte[] keyBytes = key(notation, key);
    Optional<byte[]> value = client.get(keyBytes);
    if (json.isSet()) {
      json.print(
          terminal().out(), "key", notation.line(keyBytes), "value", value.map(notation::line));
      return value.isPresent() ? ExitCode.OK : ExitCode.NOT_MET;
    }
    if (value.isEmpty()) {
      printError("There is no key \"" + notation.line(keyBytes) + "\".");
      return ExitCode.NOT_MET;
    }
    print(value.get());
    return ExitCode.OK;
  }

  private void print(byte[] value) throws IOException {
    PrintStream out = terminal().out();
    if (hex && !raw) {
      out.println(Rendering.hex(value));
      return;
    }
    out.write(value);
    if (!raw && Rendering.isText(value)) {
      out.println();
    }
  }
}
