package io.quorate.server.node.directory;

import io.quorate.common.Checksums;
import io.quorate.consensus.Starts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The content of the file {@code starts}: the starts of the node from a directory, and what follows
 * for the next one. Its text is a line for each fact, and the last line with the CRC-32C of all
 * bytes before it.
 */
record StartRecord(State state, Starts starts) {
  enum State {
    /** The directories that are used together have these starts. */
    COMPLETE,
    /** The newest start is recorded here, and perhaps not in the other directory yet. */
    PREPARED,
    /** Another node has a later start than these: the directory is an older copy. */
    OUTDATED
  }

  /** Of a directory that has no file. */
  static final StartRecord NONE = new StartRecord(State.COMPLETE, Starts.NONE);

  private static final String TITLE = "quorate starts 1";
  private static final String CHECKSUM = "crc32c ";

  StartRecord as(State next) {
    return new StartRecord(next, starts);
  }

  byte[] encoded() {
    StringBuilder text = new StringBuilder(TITLE).append('\n');
    text.append("state ").append(state.name().toLowerCase(Locale.ROOT)).append('\n');
    text.append("number ").append(starts.number()).append('\n');
    for (Starts.Run run : starts.runs()) {
      text.append("id ").append(Long.toHexString(run.id()));
      text.append(' ').append(run.renewals()).append('\n');
    }
    String body = text.toString();
    return (body + CHECKSUM + Checksums.of(body) + "\n").getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * @throws IOException if the text is not what {@link #encoded} returned; the message is the end
   *     of a sentence
   */
  static StartRecord decode(byte[] bytes) throws IOException {
    String text = new String(bytes, StandardCharsets.US_ASCII);
    int last = text.lastIndexOf('\n', text.length() - 2) + 1;
    String body = text.substring(0, last);
    if (!text.substring(last).equals(CHECKSUM + Checksums.of(body) + "\n")) {
      throw new IOException("its checksum does not match");
    }
    if (!body.startsWith(TITLE + "\n")) {
      throw new IOException("its first line is not \"" + TITLE + "\"");
    }
    String[] lines = body.split("\n");
    try {
      return decode(lines);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IOException("a line is malformed", e);
    }
  }

  private static StartRecord decode(String[] lines) {
    List<Starts.Run> runs = new ArrayList<>();
    for (int i = 3; i < lines.length; i++) {
      String[] words = lines[i].split(" ");
      runs.add(new Starts.Run(Long.parseUnsignedLong(words[1], 16), Integer.parseInt(words[2])));
    }
    return new StartRecord(
        State.valueOf(value(lines[1]).toUpperCase(Locale.ROOT)),
        new Starts(Long.parseLong(value(lines[2])), runs));
  }

  private static String value(String line) {
    return line.substring(line.indexOf(' ') + 1);
  }
}
