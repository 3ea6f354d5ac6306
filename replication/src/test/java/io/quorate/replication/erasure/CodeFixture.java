package io.quorate.replication.erasure;

import io.quorate.common.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Shapes, values and subsets of fragments. */
final class CodeFixture {
  static final List<CodeShape> SHAPES =
      List.of(
          new CodeShape(2, 1),
          new CodeShape(3, 2),
          new CodeShape(3, 4),
          new CodeShape(1, 2),
          new CodeShape(4, 1));

  private CodeFixture() {}

  /** Lengths around the padding of a shape, and around the blocks of the vector arithmetic. */
  static List<Integer> lengths(CodeShape shape) {
    int k = shape.dataFragments();
    return List.of(0, 1, k - 1, k, k + 1, 1000, 65537);
  }

  static ByteBuffer value(int bytes, Random random) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    return ByteBuffer.wrap(value);
  }

  /** All subsets with this number of fragments. */
  static List<List<Fragment>> subsets(List<Fragment> fragments, int size) {
    List<List<Fragment>> subsets = new ArrayList<>();
    for (long chosen = 0; chosen < 1L << fragments.size(); chosen++) {
      if (Long.bitCount(chosen) == size) {
        long bits = chosen;
        subsets.add(
            fragments.stream().filter(fragment -> (bits >> fragment.index() & 1) == 1).toList());
      }
    }
    return subsets;
  }

  /** A fragment as another server has it, in memory of its own. */
  static Fragment copy(Fragment fragment) {
    return new Fragment(fragment.index(), ByteBuffer.wrap(Bytes.of(fragment.bytes())));
  }

  /** A copy with one byte changed. */
  static Fragment corrupted(Fragment fragment, int at) {
    Fragment copy = copy(fragment);
    copy.bytes().put(at, (byte) (copy.bytes().get(at) ^ 0x40));
    return copy;
  }
}
