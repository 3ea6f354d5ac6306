package io.quorate.replication.erasure;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;

/**
 * A systematic Reed-Solomon code of one shape. The data fragments are the consecutive parts of the
 * value. The last ones may be shorter than the others; the parity fragments are computed as if
 * zeros followed them. The value is restored from any {@link CodeShape#dataFragments} fragments.
 * All implementations compute the same bytes, so that fragments of one are decoded by another.
 *
 * <p>The code does not detect a changed fragment: {@link ValueCoder} adds checksums.
 *
 * <p>Thread-safe. The methods block on nothing, but occupy the processor in proportion to the
 * length of the value, up to several milliseconds for each MiB: not for event loops. Buffers that
 * are not backed by an accessible array (direct or read-only ones) may be copied once; of others
 * only parity is allocated.
 */
public interface ErasureCode {
  CodeShape shape();

  /**
   * Encodes the bytes between position and limit; does not move the buffer.
   *
   * @return all fragments in the order of their indexes. Data fragments share the bytes of the
   *     value, which must not change while they are in use.
   */
  List<Fragment> encode(ByteBuffer value);

  /**
   * Restores a value. Of more fragments than needed, those with the lowest indexes are used, since
   * data fragments need no arithmetic.
   *
   * @param fragments intact fragments of one value, in any order
   * @param valueBytes the length of the value
   * @return the value; it may share the bytes of a fragment
   * @throws IllegalArgumentException if there are too few different fragments, or if one has an
   *     index or a length that the code does not give it
   */
  ByteBuffer decode(Collection<Fragment> fragments, int valueBytes);

  /**
   * Restores one fragment.
   *
   * @param fragments intact fragments of one value, in any order
   * @param index the fragment to restore, below {@link CodeShape#fragments}
   * @param valueBytes the length of the value
   * @return the fragment; it may share the bytes of a given one
   * @throws IllegalArgumentException as {@link #decode}, or if the index is not one of the code's
   */
  Fragment reconstruct(Collection<Fragment> fragments, int index, int valueBytes);
}
