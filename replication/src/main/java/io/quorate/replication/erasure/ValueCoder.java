package io.quorate.replication.erasure;

import io.quorate.common.Checksums;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/**
 * Encodes values with checksums, and decodes them from verified fragments only. Thread-safe. The
 * methods read all bytes of the value, and occupy the processor as {@link ErasureCode} describes:
 * not for event loops.
 */
public final class ValueCoder {
  private final Function<CodeShape, ErasureCode> codes;

  /**
   * @param codes the code of each shape, such as {@link ErasureCodes#code}; called for each value
   */
  public ValueCoder(Function<CodeShape, ErasureCode> codes) {
    this.codes = codes;
  }

  /**
   * Encodes the bytes between position and limit; does not move the buffer.
   *
   * @param value must not change while the fragments are in use
   */
  public CodedValue encode(ByteBuffer value, CodeShape shape) {
    List<Fragment> fragments = codes.apply(shape).encode(value);
    List<Integer> checksums =
        fragments.stream().map(fragment -> Checksums.of(fragment.bytes())).toList();
    return new CodedValue(
        new CodedValueHeader(shape, value.remaining(), Checksums.of(value), checksums), fragments);
  }

  /**
   * Restores a value.
   *
   * @return the value; it may share the bytes of a fragment
   * @throws TooFewFragmentsException if too few fragments are intact
   * @throws CorruptValueException if the value does not match its checksum
   */
  public ByteBuffer decode(VerifiedFragments fragments)
      throws TooFewFragmentsException, CorruptValueException {
    requireEnough(fragments);
    CodedValueHeader header = fragments.header();
    ByteBuffer value = codes.apply(header.shape()).decode(fragments.intact(), header.valueBytes());
    if (!header.isIntact(value)) {
      throw new CorruptValueException(
          "A value of " + header.valueBytes() + " bytes does not match its checksum");
    }
    return value;
  }

  /**
   * Restores one fragment, such as that of a server which has lost it.
   *
   * @param index below the number of the code's fragments
   * @return the fragment; it may share the bytes of a given one
   * @throws TooFewFragmentsException if too few fragments are intact
   * @throws CorruptValueException if the fragment does not match its checksum
   */
  public Fragment repair(VerifiedFragments fragments, int index)
      throws TooFewFragmentsException, CorruptValueException {
    requireEnough(fragments);
    CodedValueHeader header = fragments.header();
    Fragment repaired =
        codes.apply(header.shape()).reconstruct(fragments.intact(), index, header.valueBytes());
    if (!header.isIntact(repaired)) {
      throw new CorruptValueException("A restored fragment does not match its checksum: " + index);
    }
    return repaired;
  }

  private static void requireEnough(VerifiedFragments fragments) throws TooFewFragmentsException {
    long distinct = fragments.intact().stream().map(Fragment::index).distinct().count();
    if (distinct < fragments.header().shape().dataFragments()) {
      throw new TooFewFragmentsException(fragments);
    }
  }
}
