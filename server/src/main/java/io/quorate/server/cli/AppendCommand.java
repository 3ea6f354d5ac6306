package io.quorate.server.cli;

import io.quorate.client.QuorateClient;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Appends bytes to a value. */
@Command(
    name = "append",
    description = {
      "Add bytes at the end of the value of a key; a missing value counts as empty.",
      "Changes nothing, and reports no error, if the value would become too long."
    })
final class AppendCommand extends ClientVerb {
  @Parameters(
      index = "0",
      paramLabel = "KEY",
      description = "Text, or bytes with --hex; not empty.")
  private String key;

  @Parameters(index = "1", paramLabel = "SUFFIX", description = "Text, or bytes with --hex.")
  private String suffix;

  @Option(names = "--hex", description = "KEY and SUFFIX are hexadecimal digits.")
  private boolean hex;

  AppendCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    Notation notation = Notation.of(hex);
    client.append(key(notation, key), bytes(notation, "The suffix", suffix));
    return ExitCode.OK;
  }
}
