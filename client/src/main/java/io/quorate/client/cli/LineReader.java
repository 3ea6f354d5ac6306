package io.quorate.client.cli;

import io.quorate.operation.Limits;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;

/** Reads lines of key, tab, value, as bytes. */
final class LineReader {
  /** Longest line that can be stored, in bytes. */
  private static final int LINE_BYTES_MAX = Limits.KEY_BYTES_MOST + 1 + Limits.VALUE_BYTES_MOST;

  /**
   * @param number from 1
   */
  record Line(long number, byte[] key, byte[] value) {}

  /** A line that is not a key, a tab and a value. */
  static final class MalformedLineException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedLineException(long number, String why) {
      super("Line " + number + " " + why + ".");
    }
  }

  private final InputStream from;
  private long number;
  private long bytesRead;

  LineReader(InputStream from) {
    this.from = new BufferedInputStream(from, 1 << 16);
  }

  /** How many bytes have been taken so far. */
  long bytesRead() {
    return bytesRead;
  }

  /** The next line; empty at the end. A last line need not end with a line feed. */
  Optional<Line> next() throws IOException, MalformedLineException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int next = from.read();
    if (next < 0) {
      return Optional.empty();
    }
    number++;
    while (next >= 0 && next != '\n') {
      if (bytes.size() == LINE_BYTES_MAX) {
        throw new MalformedLineException(
            number, "is longer than the " + LINE_BYTES_MAX + " bytes a key and a value can have");
      }
      bytes.write(next);
      next = from.read();
    }
    bytesRead += bytes.size() + 1;
    return Optional.of(split(bytes.toByteArray()));
  }

  private Line split(byte[] line) throws MalformedLineException {
    int tab = 0;
    while (tab < line.length && line[tab] != '\t') {
      tab++;
    }
    if (tab == line.length) {
      throw new MalformedLineException(number, "has no tab between key and value");
    }
    if (tab == 0) {
      throw new MalformedLineException(number, "has no key before its tab");
    }
    return new Line(
        number, Arrays.copyOf(line, tab), Arrays.copyOfRange(line, tab + 1, line.length));
  }
}
