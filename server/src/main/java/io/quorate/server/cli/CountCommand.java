package io.quorate.server.cli;

import io.quorate.client.QuorateClient;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import io.quorate.server.cli.verb.JsonOption;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Counts keys. */
@Command(
    name = "count",
    description = {
      "Count the keys that begin with a prefix, or all keys.",
      "They are read page by page, each page as it is when it is read."
    })
final class CountCommand extends ClientVerb {
  private static final int KEYS_BETWEEN_UPDATES = 1000;

  @Parameters(
      index = "0",
      arity = "0..1",
      defaultValue = "",
      paramLabel = "PREFIX",
      description = "Text, or bytes with --hex; all keys where it is missing.")
  private String prefix;

  @Option(names = "--hex", description = "PREFIX is hexadecimal digits.")
  private boolean hex;

  @Mixin private JsonOption json;

  CountCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected boolean isOneRequest() {
    return false;
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    Notation notation = Notation.of(hex);
    byte[] prefixBytes = bytes(notation, "The prefix", prefix);
    long[] keys = {0};
    try (ProgressLine progress = new ProgressLine(terminal().err(), terminal().isInteractive())) {
      client
          .scan(KeyRange.ofPrefix(Key.wrap(prefixBytes)))
          .forEach(
              row -> {
                if (++keys[0] % KEYS_BETWEEN_UPDATES == 0) {
                  progress.show(() -> String.format(Locale.ROOT, "%,d keys ...", keys[0]));
                }
              });
    }
    if (json.isSet()) {
      json.print(terminal().out(), "prefix", notation.line(prefixBytes), "keys", keys[0]);
    } else {
      terminal().out().println(keys[0]);
    }
    return ExitCode.OK;
  }
}
