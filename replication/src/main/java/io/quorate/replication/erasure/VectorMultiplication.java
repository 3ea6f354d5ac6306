package io.quorate.replication.erasure;

import com.backblaze.erasure.Galois;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Multiplication in GF(2^8) with vector instructions. The product of a byte is the sum of the
 * products of its two halves, each of which is one of 16: an instruction that permutes bytes looks
 * up 16 of them at once.
 *
 * <p>The build compiles this class apart from the others, because its module is an incubator. It
 * uses only what JDK 17 and later ones have in common.
 */
final class VectorMultiplication {
  /**
   * Not the widest vectors of the processor: permutations of more than 16 bytes need instructions
   * that many processors do not have, and JDK 17 does not use them well where they exist. Where one
   * is missing, the JVM calls Java code for each vector.
   */
  private static final VectorSpecies<Byte> SPECIES = ByteVector.SPECIES_128;

  private static final int HALVES = 16;
  private static final byte HALF = 0x0F;
  private static final int HALF_BITS = 4;

  /**
   * For each coefficient its products with all lower halves of a byte, then with all upper ones.
   */
  private static final byte[] PRODUCTS = new byte[256 * 2 * HALVES];

  static {
    for (int coefficient = 0; coefficient < 256; coefficient++) {
      for (int half = 0; half < HALVES; half++) {
        int at = lowerHalves((byte) coefficient) + half;
        PRODUCTS[at] = Galois.multiply((byte) coefficient, (byte) half);
        PRODUCTS[at + HALVES] = Galois.multiply((byte) coefficient, (byte) (half << HALF_BITS));
      }
    }
  }

  private VectorMultiplication() {}

  private static int lowerHalves(byte coefficient) {
    return Byte.toUnsignedInt(coefficient) * 2 * HALVES;
  }

  /** Adds the product of a coefficient and {@code from} to {@code to}, byte by byte. */
  static void addProduct(
      byte coefficient, byte[] from, int fromStart, byte[] to, int toStart, int count) {
    int products = lowerHalves(coefficient);
    ByteVector ofLower = ByteVector.fromArray(SPECIES, PRODUCTS, products);
    ByteVector ofUpper = ByteVector.fromArray(SPECIES, PRODUCTS, products + HALVES);
    int end = SPECIES.loopBound(count);
    for (int i = 0; i < end; i += SPECIES.length()) {
      ByteVector bytes = ByteVector.fromArray(SPECIES, from, fromStart + i);
      ByteVector lower = bytes.and(HALF);
      // Processors shift integers; what the neighbouring byte shifts in is cleared.
      ByteVector upper =
          bytes
              .reinterpretAsInts()
              .lanewise(VectorOperators.LSHR, HALF_BITS)
              .reinterpretAsBytes()
              .and(HALF);
      ByteVector.fromArray(SPECIES, to, toStart + i)
          .lanewise(VectorOperators.XOR, lower.selectFrom(ofLower))
          .lanewise(VectorOperators.XOR, upper.selectFrom(ofUpper))
          .intoArray(to, toStart + i);
    }
    for (int i = end; i < count; i++) {
      int value = from[fromStart + i];
      to[toStart + i] ^=
          (byte)
              (PRODUCTS[products + (value & HALF)]
                  ^ PRODUCTS[products + HALVES + (value >> HALF_BITS & HALF)]);
    }
  }
}
