package io.quorate.server.cli;

import io.quorate.client.Batch;
import io.quorate.client.QuorateClient;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb;
import io.quorate.server.cli.verb.Connections;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Executes several changes as one atomic batch. */
@Command(
    name = "batch",
    description = {
      "Make several changes of one region together, all of them or none.",
      "A CHANGE is one argument, or a line of standard input where there are none; a key ends at "
          + "the first blank, a value at the end:",
      "  put KEY VALUE      delete KEY      append KEY SUFFIX      incr KEY [DELTA]"
    })
final class BatchCommand extends ClientVerb {
  private static final int INPUT_BYTES_MAX = 64 << 20;

  @Parameters(
      index = "0..*",
      arity = "0..*",
      paramLabel = "CHANGE",
      showDefaultValue = Visibility.NEVER,
      description = "Such as \"put user:1 ada\".")
  private List<String> changes = List.of();

  @Option(
      names = "--hex",
      description = "Keys, values and suffixes are hexadecimal digits; DELTA is not.")
  private boolean hex;

  BatchCommand(Terminal terminal, Connections connections) {
    super(terminal, connections);
  }

  @Override
  protected ExitCode run(QuorateClient client) throws IOException {
    Batch batch = new Batch();
    for (String change : changes.isEmpty() ? lines() : changes) {
      add(batch, change);
    }
    if (batch.size() == 0) {
      throw usageError("A batch has at least one change; this one has none.");
    }
    client.batch(batch);
    return ExitCode.OK;
  }

  private List<String> lines() throws IOException {
    byte[] input = terminal().in().readNBytes(INPUT_BYTES_MAX + 1);
    if (input.length > INPUT_BYTES_MAX) {
      throw new IOException(
          "A batch has at most "
              + INPUT_BYTES_MAX
              + " bytes, and standard input has more; load sets many keys, one after the other.");
    }
    return new String(input, StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.isBlank())
        .toList();
  }

  private void add(Batch batch, String change) {
    String[] words = change.strip().split("[ \t]+", 3);
    Notation notation = Notation.of(hex);
    switch (words[0]) {
      case "put" ->
          batch.put(
              key(notation, word(change, words, 1)),
              bytes(notation, "The value", word(change, words, 2)));
      case "delete" -> batch.delete(key(notation, onlyKey(change, words)));
      case "append" ->
          batch.append(
              key(notation, word(change, words, 1)),
              bytes(notation, "The suffix", word(change, words, 2)));
      case "incr" -> batch.increment(key(notation, word(change, words, 1)), delta(change, words));
      default -> throw usageError(change, "is not a change");
    }
  }

  private String word(String change, String[] words, int index) {
    if (words.length <= index) {
      throw usageError(change, index == 1 ? "has no key" : "has no value");
    }
    return words[index];
  }

  private String onlyKey(String change, String[] words) {
    if (words.length > 2) {
      throw usageError(change, "has more than a key");
    }
    return word(change, words, 1);
  }

  private long delta(String change, String[] words) {
    try {
      return words.length > 2 ? Long.parseLong(words[2]) : 1;
    } catch (NumberFormatException e) {
      throw usageError(change, "has a DELTA that is no whole number of 64 bits");
    }
  }

  private RuntimeException usageError(String change, String reason) {
    return usageError(
        "\""
            + change
            + "\" "
            + reason
            + "; a change is put KEY VALUE, delete KEY, append KEY SUFFIX or incr KEY [DELTA].");
  }
}
