package io.quorate.server.cli;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes a key, or all keys with a prefix. */
@Command(
    name = "delete",
    description = {
      "Remove a key. Not an error if there is none.",
      "With --prefix, remove every key that begins so, and print how many. These are many writes, "
          + "not one: where one fails, a part of the keys is left; the command may be repeated."
    })
final class DeleteCommand extends ClientVerb {
  private static final int IN_FLIGHT_MAX = 1000;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "KEY",
      showDefaultValue = Visibility.NEVER,
      description = "Text, or bytes with --hex; not empty.")
  private Optional<String> key = Optional.empty();

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      showDefaultValue = Visibility.NEVER,
      description = "All keys that begin so, instead of KEY; not empty.")
  private Optional<String> prefix = Optional.empty();

  @Option(names = "--hex", description = "KEY or PREFIX is hexadecimal digits.")
  private boolean hex;

  DeleteCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected void checkParameters() {
    if (key.isPresent() == prefix.isPresent()) {
      throw usageError("delete takes KEY, or --prefix.");
    }
  }

  @Override
  protected boolean isOneRequest() {
    return prefix.isEmpty();
  }

  @Override
  protected ExitCode run(QuorateClient client) {
    Notation notation = Notation.of(hex);
    if (key.isPresent()) {
      client.delete(key(notation, key.get()));
      return ExitCode.OK;
    }
    byte[] start = bytes(notation, "The prefix", prefix.orElseThrow());
    if (start.length == 0) {
      throw usageError("A prefix has at least 1 byte here, so that no mistake removes every key.");
    }
    terminal().out().print("Removed " + deleteAll(client, start) + " keys.\n");
    return ExitCode.OK;
  }

  private long deleteAll(QuorateClient client, byte[] start) {
    AsyncQuorateClient async = client.async();
    List<CompletableFuture<Position>> inFlight = new ArrayList<>();
    long removed = 0;
    try (ProgressLine progress = new ProgressLine(terminal().err(), terminal().isInteractive())) {
      for (KeyValue row : client.scan(KeyRange.ofPrefix(Key.wrap(start)))) {
        inFlight.add(async.delete(row.key()));
        if (inFlight.size() == IN_FLIGHT_MAX) {
          removed += await(inFlight);
          long soFar = removed;
          progress.show(() -> soFar + " keys removed");
        }
      }
      return removed + await(inFlight);
    }
  }

  /** Waits for all writes in flight, clears the list, and returns their number. */
  private static int await(List<CompletableFuture<Position>> inFlight) {
    await(CompletableFuture.allOf(inFlight.toArray(CompletableFuture[]::new)));
    int count = inFlight.size();
    inFlight.clear();
    return count;
  }
}
