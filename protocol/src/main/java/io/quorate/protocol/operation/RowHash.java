package io.quorate.protocol.operation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The hash of a sequence of rows: the first 128 bits of SHA-256, in hexadecimal digits. One thread.
 */
public final class RowHash {
  private static final int BYTES = 16;

  private final MessageDigest digest;
  private final ByteBuffer lengths = ByteBuffer.allocate(2 * Integer.BYTES);

  public RowHash() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every JDK has it.", e);
    }
  }

  /** Adds a row. */
  public void add(byte[] key, byte[] value) {
    // With the lengths, no two sequences of rows are the same bytes.
    digest.update(lengths.clear().putInt(key.length).putInt(value.length).flip());
    digest.update(key);
    digest.update(value);
  }

  /** Ends the sequence and begins another one. */
  public String end() {
    return HexFormat.of().formatHex(Arrays.copyOf(digest.digest(), BYTES));
  }

  /** The hash of a text. */
  static String of(String text) {
    RowHash hash = new RowHash();
    hash.add(new byte[0], text.getBytes(StandardCharsets.US_ASCII));
    return hash.end();
  }
}
