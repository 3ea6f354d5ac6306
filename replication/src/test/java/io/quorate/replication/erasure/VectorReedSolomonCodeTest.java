package io.quorate.replication.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import com.backblaze.erasure.Galois;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Run with the module of the vector API, as in the build. */
@EnabledIf("isAvailable")
class VectorReedSolomonCodeTest extends ErasureCodeContract {
  static boolean isAvailable() {
    return VectorReedSolomonCode.isAvailable();
  }

  @Override
  ErasureCode code(CodeShape shape) {
    return new VectorReedSolomonCode(shape);
  }

  @ParameterizedTest
  @FieldSource("io.quorate.replication.erasure.CodeFixture#SHAPES")
  void fragmentsOfOneImplementationAreDecodedByTheOther(CodeShape shape) {
    long seed = System.nanoTime();
    var value = CodeFixture.value(4321, new Random(seed));
    ErasureCode tables = new ReedSolomonCode(shape);
    List<Fragment> all = tables.encode(value);
    assertThat(code(shape).encode(value)).as("seed %d", seed).isEqualTo(all);
    for (List<Fragment> subset : CodeFixture.subsets(all, shape.dataFragments())) {
      assertThat(code(shape).decode(subset, 4321))
          .as("seed %d", seed)
          .isEqualTo(tables.decode(subset, 4321));
    }
  }

  @Test
  void everyProductIsThatOfTheField() {
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    for (int coefficient = 0; coefficient < 256; coefficient++) {
      byte[] products = new byte[256];
      VectorMultiplication.addProduct((byte) coefficient, bytes, 0, products, 0, 256);
      byte[] expected = new byte[256];
      for (int i = 0; i < bytes.length; i++) {
        expected[i] = Galois.multiply((byte) coefficient, bytes[i]);
      }
      assertThat(products).as("times %d", coefficient).isEqualTo(expected);
    }
  }

  /** Every length up to several vectors, at every place within one. */
  @Test
  void bytesOutsideTheRangeAreUnchanged() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] from = new byte[100];
    byte[] before = new byte[100];
    random.nextBytes(from);
    random.nextBytes(before);
    for (int start = 0; start <= 16; start++) {
      for (int count = 0; count <= 50; count++) {
        byte[] to = before.clone();
        VectorMultiplication.addProduct((byte) 0x8E, from, 16 - start, to, start, count);
        byte[] expected = before.clone();
        for (int i = 0; i < count; i++) {
          expected[start + i] ^= Galois.multiply((byte) 0x8E, from[16 - start + i]);
        }
        assertThat(Arrays.equals(to, expected))
            .as("%d bytes at %d, seed %d", count, start, seed)
            .isTrue();
      }
    }
  }
}
