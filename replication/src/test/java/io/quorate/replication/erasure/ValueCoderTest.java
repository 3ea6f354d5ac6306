package io.quorate.replication.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class ValueCoderTest {
  private static final CodeShape SHAPE = new CodeShape(3, 2);

  private final ValueCoder coder = new ValueCoder(ReedSolomonCode::new);
  private final ByteBuffer value = CodeFixture.value(1000, new Random(1));
  private final CodedValue coded = coder.encode(value, SHAPE);

  @ParameterizedTest
  @FieldSource("io.quorate.replication.erasure.CodeFixture#SHAPES")
  void aValueIsRestoredFromVerifiedFragments(CodeShape shape) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int length : CodeFixture.lengths(shape)) {
      ByteBuffer original = CodeFixture.value(length, random);
      CodedValue encoded = coder.encode(original, shape);
      for (List<Fragment> subset :
          CodeFixture.subsets(encoded.fragments(), shape.dataFragments())) {
        VerifiedFragments verified = encoded.header().verify(subset);
        assertThat(verified.corrupt()).isEmpty();
        assertThat(coder.decode(verified))
            .as("%d bytes, seed %d", length, seed)
            .isEqualTo(original);
      }
    }
  }

  /** The value from the standard's test of CRC-32C. */
  @Test
  void checksumsAreOfTheWholeValueAndOfEachFragment() {
    CodedValue digits = coder.encode(ByteBuffer.wrap("123456789".getBytes()), new CodeShape(1, 1));
    assertThat(digits.header().valueChecksum()).isEqualTo(0xE3069283);
    assertThat(digits.header().fragmentChecksums()).containsExactly(0xE3069283, 0xE3069283);
    assertThat(coded.header().fragmentChecksums()).hasSize(5).doesNotHaveDuplicates();
    assertThat(coded.header().valueBytes()).isEqualTo(1000);
  }

  @ParameterizedTest
  @FieldSource("io.quorate.replication.erasure.CodeFixture#SHAPES")
  void aChangedByteOfAnyFragmentIsDetectedAndItsIndexReported(CodeShape shape) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    ByteBuffer original = CodeFixture.value(500, random);
    CodedValue encoded = coder.encode(original, shape);
    for (Fragment fragment : encoded.fragments()) {
      int at = random.nextInt(fragment.bytes().remaining());
      List<Fragment> given = new ArrayList<>(encoded.fragments());
      given.set(fragment.index(), CodeFixture.corrupted(fragment, at));
      VerifiedFragments verified = encoded.header().verify(given);
      assertThat(verified.corrupt())
          .as("byte %d, seed %d", at, seed)
          .containsExactly(fragment.index());
      assertThat(coder.decode(verified)).as("seed %d", seed).isEqualTo(original);
      assertThat(coder.repair(verified, fragment.index())).isEqualTo(fragment);
    }
  }

  @Test
  void aFragmentOfAnotherLengthOrIndexIsCorrupt() {
    Fragment first = coded.fragments().get(0);
    VerifiedFragments verified =
        coded
            .header()
            .verify(
                List.of(
                    new Fragment(0, first.bytes().limit(333)),
                    new Fragment(1, first.bytes()),
                    new Fragment(5, first.bytes()),
                    first));
    assertThat(verified.corrupt()).containsExactly(0, 1, 5);
    assertThat(verified.intact()).containsExactly(first);
  }

  /** The length of a header from another server is not allocated before fragments confirm it. */
  @Test
  void fragmentsDoNotFitAHeaderWithAnotherLength() {
    CodedValueHeader wrong =
        new CodedValueHeader(
            SHAPE,
            Integer.MAX_VALUE,
            coded.header().valueChecksum(),
            coded.header().fragmentChecksums());
    VerifiedFragments verified = wrong.verify(coded.fragments());
    assertThat(verified.corrupt()).containsExactly(0, 1, 2, 3, 4);
    assertThatThrownBy(() -> coder.decode(verified)).isInstanceOf(TooFewFragmentsException.class);
  }

  @Test
  void tooFewIntactFragmentsAreAnErrorThatNamesTheCorruptOnes() {
    VerifiedFragments verified =
        coded
            .header()
            .verify(
                List.of(
                    coded.fragments().get(4),
                    CodeFixture.corrupted(coded.fragments().get(1), 7),
                    coded.fragments().get(0),
                    coded.fragments().get(0)));
    String message = "needs 3 different fragments; intact are [0, 4], corrupt are [1]";
    assertThatThrownBy(() -> coder.decode(verified))
        .isInstanceOf(TooFewFragmentsException.class)
        .hasMessageContaining(message);
    assertThatThrownBy(() -> coder.repair(verified, 1))
        .isInstanceOf(TooFewFragmentsException.class)
        .hasMessageContaining(message);
  }

  /** As after a fault of memory or code between the checksums of fragments and the value. */
  @Test
  void aValueThatDoesNotMatchItsChecksumIsNotDelivered() {
    CodedValueHeader header = coded.header();
    CodedValueHeader wrong =
        new CodedValueHeader(SHAPE, 1000, header.valueChecksum() ^ 1, header.fragmentChecksums());
    VerifiedFragments verified = wrong.verify(coded.fragments());
    assertThat(verified.corrupt()).isEmpty();
    assertThatThrownBy(() -> coder.decode(verified)).isInstanceOf(CorruptValueException.class);
  }

  @Test
  void aRestoredFragmentThatDoesNotMatchItsChecksumIsNotDelivered() {
    List<Integer> checksums = new ArrayList<>(coded.header().fragmentChecksums());
    checksums.set(4, checksums.get(4) ^ 1);
    CodedValueHeader wrong =
        new CodedValueHeader(SHAPE, 1000, coded.header().valueChecksum(), checksums);
    VerifiedFragments verified = wrong.verify(coded.fragments().subList(0, 3));
    assertThatThrownBy(() -> coder.repair(verified, 4))
        .isInstanceOf(CorruptValueException.class)
        .hasMessageContaining("4");
  }

  @Test
  void aHeaderHasOneChecksumForEachFragment() {
    assertThatThrownBy(() -> new CodedValueHeader(SHAPE, 1000, 0, List.of(1, 2, 3, 4)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4 checksums");
    assertThatThrownBy(() -> new CodedValueHeader(SHAPE, -1, 0, List.of(1, 2, 3, 4, 5)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
