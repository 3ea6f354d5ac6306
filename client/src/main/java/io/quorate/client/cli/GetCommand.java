package io.quorate.client.cli;

import io.quorate.client.QuorateClient;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the value of a key. */
@Command(
    name = "get",
    description = {
      "Print the value of a key.",
      "Text is followed by a line feed; anything else is written as it is. "
          + "Exits with 1 if there is no such key."
    })
final class GetCommand extends ClientVerb {
  @Parameters(index = "0", paramLabel = "KEY", description = "Text; at least one character.")
  private String key;

  @Option(names = "--hex", description = "Print the value in hexadecimal digits.")
  private boolean hex;

  GetCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode run(QuorateClient client) throws IOException {
    Optional<byte[]> value = client.get(utf8(key));
    if (value.isEmpty()) {
      complain("There is no key " + Rendering.line(utf8(key)) + ".");
      return ExitCode.NOT_MET;
    }
    if (hex) {
      terminal().out().println(Rendering.hex(value.get()));
    } else {
      terminal().out().write(value.get());
      if (Rendering.isText(value.get())) {
        terminal().out().println();
      }
    }
    return ExitCode.OK;
  }
}
