package io.quorate.server.cli;

import io.quorate.client.QuorateClient;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import io.quorate.server.cli.verb.JsonOption;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets a value and prints the previous one. */
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

  @Mixin private JsonOption json;

  GetAndPutCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    Notation notation = Notation.of(hex);
    byte[] keyBytes = key(notation, key);
    Optional<String> before =
        client.getAndPut(keyBytes, bytes(notation, "The value", value)).map(notation::line);
    if (json.isSet()) {
      json.print(terminal().out(), "key", notation.line(keyBytes), "before", before);
    } else {
      before.ifPresent(terminal().out()::println);
    }
    return ExitCode.OK;
  }
}
