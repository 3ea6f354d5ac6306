package io.quorate.benchmarks.ycsb;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The keys of the records of a table: the name of the table, a slash, and the key that YCSB chose,
 * in UTF-8. Records of a table are adjacent, in the order of their keys.
 */
public final class RecordKeys {
  private static final char SEPARATOR = '/';

  private RecordKeys() {}

  /**
   * The key of a record.
   *
   * @throws IllegalArgumentException if the name of the table contains a slash
   */
  public static byte[] key(String table, String key) {
    return (prefix(table) + key).getBytes(StandardCharsets.UTF_8);
  }

  /** The prefix of all keys of the table. */
  static String prefix(String table) {
    if (table.indexOf(SEPARATOR) >= 0) {
      throw new IllegalArgumentException(
          "The name of a table contains no " + SEPARATOR + ", unlike " + table + ".");
    }
    return table + SEPARATOR;
  }

  /** Whether the key begins with the prefix. */
  static boolean isIn(byte[] prefix, byte[] key) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }
}
