package io.quorate.client.cli;

import io.quorate.operation.Limits;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Reads lines of key, tab, value, as bytes: the inverse of what a scan prints.
 *
 * <p>In {@link Notation#TEXT} a backslash begins an escape, {@code \xNN} or two backslashes, and
 * every other byte stands for itself, in a value also a tab. A line ends with one line feed, the
 * last one also without it. What a scan does not print is refused where it could mean two things: a
 * backslash that begins no escape, and a carriage return at the end of a line. One empty line at
 * the end is skipped.
 */
final class LineReader {
  /** The most bytes that a key and a value have together. */
  private static final int ROW_BYTES_MAX = Limits.KEY_BYTES_MOST + Limits.VALUE_BYTES_MOST;

  private static final int END_OF_FILE = -1;

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
  private final Notation notation;
  private final ByteArrayOutputStream field = new ByteArrayOutputStream();
  private long number;
  private long column;
  private long bytesRead;

  /** The byte that is taken next. */
  private int ahead;

  /**
   * Reads the first byte. Blocks until there is one.
   *
   * @throws IOException if the stream cannot be read
   */
  LineReader(InputStream from, Notation notation) throws IOException {
    this.from = new BufferedInputStream(from, 1 << 16);
    this.notation = notation;
    this.ahead = this.from.read();
  }

  /** How many bytes have been taken so far. */
  long bytesRead() {
    return bytesRead;
  }

  /** The next line; empty at the end. Blocks until one has arrived. */
  Optional<Line> next() throws IOException, MalformedLineException {
    if (ahead == END_OF_FILE) {
      return Optional.empty();
    }
    number++;
    column = 0;
    if (ahead == '\n') {
      take();
      if (ahead == END_OF_FILE) {
        return Optional.empty();
      }
      throw malformed("is empty; only the last line may be");
    }
    byte[] key = field('\t', ROW_BYTES_MAX);
    if (ahead != '\t') {
      throw malformed("has no tab between key and value");
    }
    if (key.length == 0) {
      throw malformed("has no key before its tab");
    }
    take();
    byte[] value = field('\n', ROW_BYTES_MAX - key.length);
    take();
    return Optional.of(new Line(number, key, value));
  }

  /** Reads up to {@code end} or the end of the line, whichever is first, and takes neither. */
  private byte[] field(int end, int bytesMax) throws IOException, MalformedLineException {
    field.reset();
    while (ahead != end && !lineEnds()) {
      if (field.size() == bytesMax) {
        throw malformed(
            "is longer than the " + ROW_BYTES_MAX + " bytes a key and a value can have");
      }
      field.write(notation == Notation.HEX ? digits() : character());
    }
    return field.toByteArray();
  }

  private int digits() throws IOException, MalformedLineException {
    int first = take();
    requireNoCarriageReturnAtTheEnd(first);
    if (!HexFormat.isHexDigit(first) || !HexFormat.isHexDigit(ahead)) {
      throw malformed(
          "is not pairs of hexadecimal digits, which --hex requires, at byte " + column);
    }
    return (HexFormat.fromHexDigit(first) << 4) | HexFormat.fromHexDigit(take());
  }

  private int character() throws IOException, MalformedLineException {
    int first = take();
    requireNoCarriageReturnAtTheEnd(first);
    return first == '\\' ? escape() : first;
  }

  private int escape() throws IOException, MalformedLineException {
    long start = column;
    if (ahead == '\\') {
      return take();
    }
    if (ahead == 'x') {
      take();
      int high = HexFormat.isHexDigit(ahead) ? take() : END_OF_FILE;
      if (high != END_OF_FILE && HexFormat.isHexDigit(ahead)) {
        return (HexFormat.fromHexDigit(high) << 4) | HexFormat.fromHexDigit(take());
      }
    }
    throw malformed(
        "has a backslash at byte "
            + start
            + " that begins no escape; write \\\\ for a backslash, and \\xNN for any byte by its"
            + " two hexadecimal digits");
  }

  private void requireNoCarriageReturnAtTheEnd(int taken) throws MalformedLineException {
    if (taken == '\r' && lineEnds()) {
      throw malformed(
          "ends with a carriage return; end lines with a line feed alone, and write \\x0d (0d with"
              + " --hex) for one that belongs to the value");
    }
  }

  private boolean lineEnds() {
    return ahead == '\n' || ahead == END_OF_FILE;
  }

  private int take() throws IOException {
    int taken = ahead;
    if (taken != END_OF_FILE) {
      bytesRead++;
      column++;
      ahead = from.read();
    }
    return taken;
  }

  private MalformedLineException malformed(String why) {
    return new MalformedLineException(number, why);
  }
}
