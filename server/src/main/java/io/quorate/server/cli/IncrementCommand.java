package io.quorate.server.cli;

import io.quorate.client.QuorateClient;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import io.quorate.server.cli.verb.JsonOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Increments a number. */
@Command(
    name = "incr",
    description = "Add to the number under a key, 0 where there is none, and print the sum.")
final class IncrementCommand extends ClientVerb {
  @Parameters(
      index = "0",
      paramLabel = "KEY",
      description = "Text, or bytes with --hex; not empty.")
  private String key;

  @Parameters(
      index = "1",
      paramLabel = "DELTA",
      arity = "0..1",
      defaultValue = "1",
      description = "A whole number of 64 bits; may be negative.")
  private long delta;

  @Option(names = "--hex", description = "KEY is hexadecimal digits; DELTA and the sum are not.")
  private boolean hex;

  @Option(
      names = "--split-result",
      description = {
        "Add first and read the number then, which may contain later changes by others.",
        "Faster where writes are acknowledged at commit."
      })
  private boolean splitResult;

  @Mixin private JsonOption json;

  IncrementCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    Notation notation = Notation.of(hex);
    byte[] keyBytes = key(notation, key);
    long sum = client.incrementAndGet(keyBytes, delta, splitResult);
    if (json.isSet()) {
      json.print(terminal().out(), "key", notation.line(keyBytes), "value", sum);
    } else {
      terminal().out().println(sum);
    }
    return ExitCode.OK;
  }
}
