package io.quorate.replication.erasure;

import java.util.Locale;

/**
 * The numbers of fragments of an erasure code, often written (k, m): the value is restored from any
 * k of k + m fragments.
 *
 * @param dataFragments k, the number of parts of the value, at least 1; with 1, each fragment is a
 *     copy of the value
 * @param parityFragments m, the number of fragments that may be lost, at least 0
 */
public record CodeShape(int dataFragments, int parityFragments) {
  /** The maximum number of fragments: each has an element of the field GF(2^8) of its own. */
  public static final int FRAGMENTS_MAX = 256;

  /**
   * @throws IllegalArgumentException if a number or their sum is out of bounds
   */
  public CodeShape {
    if (dataFragments < 1
        || parityFragments < 0
        || dataFragments > FRAGMENTS_MAX - parityFragments) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "A code has at least 1 data fragment and at most %d fragments, not %d + %d",
              FRAGMENTS_MAX,
              dataFragments,
              parityFragments));
    }
  }

  /** The number of all fragments. */
  public int fragments() {
    return dataFragments + parityFragments;
  }

  /**
   * The length of the longest fragments of a value in bytes: the first data fragment and all parity
   * fragments.
   *
   * @param valueBytes the length of the value, at least 0
   */
  public int fragmentBytes(int valueBytes) {
    if (valueBytes < 0) {
      throw new IllegalArgumentException("A value does not have " + valueBytes + " bytes");
    }
    return (int) (((long) valueBytes + dataFragments - 1) / dataFragments);
  }

  /**
   * The length of one fragment of a value in bytes. The data fragments are the value, cut: the last
   * ones may be shorter than the others, or empty.
   *
   * @param valueBytes the length of the value, at least 0
   * @param index of the fragment, from 0 to below {@link #fragments}
   */
  public int fragmentBytes(int valueBytes, int index) {
    int longest = fragmentBytes(valueBytes);
    if (index >= dataFragments) {
      return longest;
    }
    long left = valueBytes - (long) index * longest;
    return (int) Math.max(0, Math.min(longest, left));
  }

  @Override
  public String toString() {
    return "(" + dataFragments + ", " + parityFragments + ")";
  }
}
