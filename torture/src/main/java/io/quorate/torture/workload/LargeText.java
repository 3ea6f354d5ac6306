package io.quorate.torture.workload;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.Random;

/**
 * The bytes of values. A history has a short text for a large value, which determines all of its
 * bytes: a value of which any byte differs has a text that no client wrote.
 */
final class LargeText {
  /** The first letter of the texts of large values. */
  static final char MARK = 'L';

  /** More than {@code raft.coded.min-value} of the nodes, so that coded replication codes them. */
  static final int BYTES_MIN = 1500;

  private static final int BYTES_SPREAD = 5000;

  private LargeText() {}

  /** The bytes of a value. */
  static byte[] bytes(String text) {
    byte[] head = text.getBytes(ISO_8859_1);
    if (text.isEmpty() || text.charAt(0) != MARK) {
      return head;
    }
    Random random = new Random(text.hashCode());
    byte[] bytes = new byte[BYTES_MIN + random.nextInt(BYTES_SPREAD)];
    random.nextBytes(bytes);
    System.arraycopy(head, 0, bytes, 0, head.length);
    bytes[head.length] = '\n';
    return bytes;
  }

  /** The text of the value with these bytes. */
  static String text(byte[] bytes) {
    if (bytes.length < BYTES_MIN) {
      return new String(bytes, ISO_8859_1);
    }
    int end = 0;
    while (end < bytes.length && bytes[end] != '\n') {
      end++;
    }
    String text = new String(bytes, 0, end, ISO_8859_1);
    return text.indexOf(MARK) == 0 && Arrays.equals(bytes, bytes(text))
        ? text
        : "a damaged value of " + bytes.length + " bytes and hash " + Arrays.hashCode(bytes);
  }
}
