package io.quorate.replication.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.backblaze.erasure.ReedSolomon;
import io.quorate.common.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What every implementation computes; Backblaze's coder as a whole is the oracle. */
abstract class ErasureCodeContract {
  private static final CodeShape THREE_AND_TWO = new CodeShape(3, 2);

  abstract ErasureCode code(CodeShape shape);

  @ParameterizedTest
  @FieldSource("io.quorate.replication.erasure.CodeFixture#SHAPES")
  void anySufficientFragmentsRestoreTheValue(CodeShape shape) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    ErasureCode code = code(shape);
    for (int length : CodeFixture.lengths(shape)) {
      ByteBuffer value = CodeFixture.value(length, random);
      List<Fragment> all = code.encode(value);
      for (List<Fragment> subset : CodeFixture.subsets(all, shape.dataFragments())) {
        List<Fragment> shuffled = new ArrayList<>(subset);
        Collections.shuffle(shuffled, random);
        assertThat(code.decode(shuffled, length))
            .as("%d bytes from %s, seed %d", length, indexes(shuffled), seed)
            .isEqualTo(value);
      }
    }
  }

  @ParameterizedTest
  @FieldSource("io.quorate.replication.erasure.CodeFixture#SHAPES")
  void fragmentsAreThoseOfBackblaze(CodeShape shape) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int length : CodeFixture.lengths(shape)) {
      ByteBuffer value = CodeFixture.value(length, random);
      assertThat(contents(code(shape).encode(value)))
          .as("%d bytes, seed %d", length, seed)
          .isEqualTo(ofBackblaze(shape, value));
    }
  }

  @ParameterizedTest
  @FieldSource("io.quorate.replication.erasure.CodeFixture#SHAPES")
  void eachFragmentIsRestoredFromAnySufficientOthers(CodeShape shape) {
    long seed = System.nanoTime();
    ByteBuffer value = CodeFixture.value(1000, new Random(seed));
    List<Fragment> all = code(shape).encode(value);
    for (List<Fragment> subset : CodeFixture.subsets(all, shape.dataFragments())) {
      for (Fragment expected : all) {
        assertThat(code(shape).reconstruct(subset, expected.index(), value.remaining()))
            .as("%d from %s, seed %d", expected.index(), indexes(subset), seed)
            .isEqualTo(expected);
      }
    }
  }

  /** The widest code, and products with every coefficient of the field. */
  @Test
  void aCodeCanHaveAsManyFragmentsAsTheFieldHasElements() {
    CodeShape shape = new CodeShape(128, 128);
    long seed = System.nanoTime();
    ByteBuffer value = CodeFixture.value(128 * 33 - 5, new Random(seed));
    List<Fragment> all = code(shape).encode(value);
    assertThat(contents(all)).as("seed %d", seed).isEqualTo(ofBackblaze(shape, value));
    assertThat(code(shape).decode(all.subList(128, 256), value.remaining()))
        .as("seed %d", seed)
        .isEqualTo(value);
  }

  @Test
  void withoutParityTheFragmentsAreTheValue() {
    ByteBuffer value = ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5});
    ErasureCode code = code(new CodeShape(3, 0));
    List<Fragment> all = code.encode(value);
    assertThat(contents(all))
        .containsExactly(
            ByteBuffer.wrap(new byte[] {1, 2}),
            ByteBuffer.wrap(new byte[] {3, 4}),
            ByteBuffer.wrap(new byte[] {5}));
    assertThat(code.decode(all, 5)).isEqualTo(value);
  }

  @Test
  void readOnlyDirectAndOffsetBuffersAreEncodedAlikeAndNotMoved() {
    byte[] bytes = Bytes.of(CodeFixture.value(1000, new Random(7)));
    List<ByteBuffer> expected = contents(code(THREE_AND_TWO).encode(ByteBuffer.wrap(bytes)));
    ByteBuffer surrounded = ByteBuffer.allocate(1100).position(50).put(bytes).flip().position(50);
    ByteBuffer direct = ByteBuffer.allocateDirect(1000).put(bytes).flip();
    for (ByteBuffer value :
        List.of(surrounded, direct, surrounded.asReadOnlyBuffer(), surrounded.slice())) {
      int position = value.position();
      List<Fragment> all = code(THREE_AND_TWO).encode(value);
      assertThat(contents(all)).isEqualTo(expected);
      assertThat(value.position()).isEqualTo(position);
      assertThat(code(THREE_AND_TWO).decode(all.subList(2, 5), 1000))
          .isEqualTo(ByteBuffer.wrap(bytes));
    }
  }

  @Test
  void partsOfAnArrayAreSharedAndNotCopied() {
    byte[] bytes = new byte[301];
    List<Fragment> all = code(THREE_AND_TWO).encode(ByteBuffer.wrap(bytes));
    bytes[100] = 9;
    bytes[202] = 9;
    assertThat(all.get(0).bytes().get(100)).isEqualTo((byte) 9);
    assertThat(all.get(2).bytes().get(0)).as("the last one, which is shorter").isEqualTo((byte) 9);
    assertThat(all.get(2).bytes().remaining()).isEqualTo(99);
  }

  @Test
  void ofMoreFragmentsThanNeededTheDataFragmentsAreUsed() {
    ByteBuffer value = CodeFixture.value(1000, new Random(8));
    List<Fragment> all = code(THREE_AND_TWO).encode(value);
    List<Fragment> given = new ArrayList<>(all);
    given.set(3, CodeFixture.corrupted(all.get(3), 0));
    Collections.reverse(given);
    assertThat(code(THREE_AND_TWO).decode(given, 1000)).isEqualTo(value);
  }

  @Test
  void fragmentsThatTheCodeDoesNotHaveAreRejected() {
    ErasureCode code = code(THREE_AND_TWO);
    List<Fragment> all = code.encode(CodeFixture.value(1000, new Random(9)));
    Fragment first = all.get(0);
    assertRejected(() -> code.decode(all.subList(0, 2), 1000), "3 different fragments, not 2");
    assertRejected(() -> code.decode(List.of(first, first, first), 1000), "not 1");
    assertRejected(() -> code.decode(all.subList(0, 3), 999), "has 333 bytes, not 334");
    assertRejected(() -> code.reconstruct(all.subList(0, 2), 4, 1000), "not 2");
    assertRejected(() -> code.reconstruct(all, 5, 1000), "no fragment 5");
    assertRejected(
        () -> code.decode(List.of(first, all.get(1), new Fragment(5, first.bytes())), 1000),
        "no fragment 5");
    assertRejected(
        () ->
            code.decode(
                List.of(first, all.get(1), new Fragment(2, ByteBuffer.allocate(335))), 1000),
        "has 332 bytes, not 335");
  }

  private static void assertRejected(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private static List<ByteBuffer> ofBackblaze(CodeShape shape, ByteBuffer value) {
    int length = shape.fragmentBytes(value.remaining());
    byte[] padded = new byte[shape.dataFragments() * length];
    value.duplicate().get(padded, 0, value.remaining());
    byte[][] shards = new byte[shape.fragments()][length];
    for (int i = 0; i < shape.dataFragments(); i++) {
      System.arraycopy(padded, i * length, shards[i], 0, length);
    }
    ReedSolomon.create(shape.dataFragments(), shape.parityFragments())
        .encodeParity(shards, 0, length);
    return IntStream.range(0, shards.length)
        .mapToObj(i -> ByteBuffer.wrap(shards[i], 0, shape.fragmentBytes(value.remaining(), i)))
        .toList();
  }

  private static List<ByteBuffer> contents(List<Fragment> fragments) {
    return fragments.stream().map(Fragment::bytes).toList();
  }

  private static List<Integer> indexes(List<Fragment> fragments) {
    return fragments.stream().map(Fragment::index).toList();
  }
}
