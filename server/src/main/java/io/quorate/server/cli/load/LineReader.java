package io.quorate.server.cli.load;

import io.quorate.protocol.operation.Limits;
import io.quorate.server.cli.format.Notation;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Reads lines of key, tab, value, as bytes: the inverse of the output of a scan.
 *
 * <p>In {@link Notation#TEXT} a backslash begins an escape, {@code \xNN} or two backslashes, and
 * every other byte is literal, including a tab in a value. A line ends with one line feed, which is
 * optional after the last line. Ambiguous input that a scan does not print is rejected: a backslash
 * that begins no escape, and a carriage return at the end of a line. One empty line at the end is
 * skipped.
 */
final class LineReader {
  /** Maximum size of a key and its value together. */
  private static final int ROW_BYTES_MAX = Limits.KEY_BYTES_MAX + Limits.VALUE_BYTES_MAX;

  private static final int END_OF_FILE = -1;

  /**
   * @param number the line number, from 1
   */
  record Line(long number, byte[] key, byte[] value) {}

  /** Reports a line that is not a key, a tab and a value. */
  static final class MalformedLineException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedLineException(long number, String reason) {
      super("Line " + number + " " + reason + ".");
    }
  }

  private final InputStream from;
  private final Notation notation;
  private final ByteArrayOutputStream field = new ByteArrayOutputStream();
  private long number;
  private long column;
  private long bytesRead;

  /** The next byte, which is not consumed yet. */
  private int lookahead;

  /**
   * Reads the first byte. Blocks until it is available.
   *
   * @throws IOException if the stream cannot be read
   */
  LineReader(InputStream from, Notation notation) throws IOException {
    this.from = new BufferedInputStream(from, 1 << 16);
    this.notation = notation;
    this.lookahead = this.from.read();
  }

  /** The number of bytes consumed so far. */
  long bytesRead() {
    return bytesRead;
  }

  /** Reads the next line; empty at the end of the input. Blocks until the line has arrived. */
  Optional<Line> next() throws IOException, MalformedLineException {
    if (lookahead == END_OF_FILE) {
      return Optional.empty();
    }
    number++;
    column = 0;
    if (lookahead == '\n') {
      take();
      if (lookahead == END_OF_FILE) {
        return Optional.empty();
      }
      throw malformed("is empty; only the last line may be");
    }
    byte[] key = field('\t', ROW_BYTES_MAX);
    if (lookahead != '\t') {
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

  /**
   * Reads up to {@code end} or the end of the line, whichever comes first, and consumes neither.
   */
  private byte[] field(int end, int bytesMax) throws IOException, MalformedLineException {
    field.reset();
    while (lookahead != end && !lineEnds()) {
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
    if (!HexFormat.isHexDigit(first) || !HexFormat.isHexDigit(lookahead)) {
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
    if (lookahead == '\\') {
      return take();
    }
    if (lookahead == 'x') {
      take();
      int high = HexFormat.isHexDigit(lookahead) ? take() : END_OF_FILE;
      if (high != END_OF_FILE && HexFormat.isHexDigit(lookahead)) {
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
    return lookahead == '\n' || lookahead == END_OF_FILE;
  }

  private int take() throws IOException {
    int taken = lookahead;
    if (taken != END_OF_FILE) {
      bytesRead++;
      column++;
      lookahead = from.read();
    }
    return taken;
  }

  private MalformedLineException malformed(String reason) {
    return new MalformedLineException(number, reason);
  }
}
