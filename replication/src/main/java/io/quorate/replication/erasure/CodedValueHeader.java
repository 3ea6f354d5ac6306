package io.quorate.replication.erasure;

import io.quorate.common.Checksums;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * What identifies the content of a coded value and of each of its fragments.
 *
 * @param valueBytes the length of the value
 * @param valueChecksum the CRC-32C of the value
 * @param fragmentChecksums the CRC-32C of each fragment, by index
 */
public record CodedValueHeader(
    CodeShape shape, int valueBytes, int valueChecksum, List<Integer> fragmentChecksums) {
  /**
   * @throws IllegalArgumentException if the length is negative, or the number of checksums is not
   *     that of the fragments
   */
  public CodedValueHeader {
    fragmentChecksums = List.copyOf(fragmentChecksums);
    if (valueBytes < 0 || fragmentChecksums.size() != shape.fragments()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "A value of %d bytes in a code %s with %d checksums",
              valueBytes,
              shape,
              fragmentChecksums.size()));
    }
  }

  /**
   * Separates the intact fragments from those with another index, length or checksum than this
   * value's. Reads all of them: not for event loops.
   */
  public VerifiedFragments verify(Collection<Fragment> fragments) {
    List<Fragment> intact = new ArrayList<>();
    TreeSet<Integer> corrupt = new TreeSet<>();
    for (Fragment fragment : fragments) {
      if (isIntact(fragment)) {
        intact.add(fragment);
      } else {
        corrupt.add(fragment.index());
      }
    }
    return new VerifiedFragments(this, intact, corrupt);
  }

  /**
   * Whether a fragment has an index, the length and the checksum of this value. Reads all of it:
   * not for event loops.
   */
  public boolean isIntact(Fragment fragment) {
    ByteBuffer bytes = fragment.bytes();
    return fragment.index() < shape.fragments()
        && bytes.remaining() == shape.fragmentBytes(valueBytes, fragment.index())
        && Checksums.of(bytes) == fragmentChecksums.get(fragment.index());
  }

  /**
   * Whether the bytes between position and limit have the length and the checksum of the value.
   * Reads all of them: not for event loops.
   */
  public boolean isIntact(ByteBuffer value) {
    return value.remaining() == valueBytes && Checksums.of(value) == valueChecksum;
  }
}
