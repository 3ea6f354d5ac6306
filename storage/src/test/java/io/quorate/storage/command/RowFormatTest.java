package io.quorate.storage.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.BodyReference;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RowFormatTest {
  private static final BodyReference BODY =
      new BodyReference(4, 7, 5, 100_000, ByteBuffer.wrap(new byte[] {8, 9}));

  /** A part of a longer buffer, to show that bounds are respected. */
  private static ByteBuffer within(byte... bytes) {
    return ByteBuffer.allocate(bytes.length + 5).position(2).put(bytes).flip().position(2);
  }

  @ParameterizedTest
  @EnumSource
  void storesValues(RowFormat format) {
    ByteBuffer value = within((byte) 1, (byte) 0, (byte) 3);
    ByteBuffer row = format.row(value);
    assertThat(value.position()).isEqualTo(2);
    assertThat(format.isBody(row)).isFalse();
    assertThat(format.value(row)).isEqualTo(value);
    assertThat(format.stored(row)).isEqualTo(new StoredValue.Inline(value));
    assertThat(format.value(format.row(within()))).isEqualTo(within());
  }

  @Test
  void aPlainRowIsTheValueItself() {
    ByteBuffer value = within((byte) 1);
    assertThat(RowFormat.PLAIN.row(value)).isSameAs(value);
    assertThat(RowFormat.PLAIN.value(value)).isSameAs(value);
  }

  @Test
  void aTypedRowRefersToABody() {
    ByteBuffer row = RowFormat.TYPED.row(BODY);
    assertThat(RowFormat.TYPED.isBody(row)).isTrue();
    assertThat(RowFormat.TYPED.stored(row)).isEqualTo(new StoredValue.Body(BODY));
    assertThat(RowFormat.TYPED.stored(row).length()).isEqualTo(100_000);
    assertThatThrownBy(() -> RowFormat.TYPED.value(row)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> RowFormat.PLAIN.row(BODY)).isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @ValueSource(bytes = {-1, 2, 'v'})
  void rejectsUnknownTypes(byte type) {
    assertThatThrownBy(() -> RowFormat.TYPED.stored(within(type, (byte) 0)))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("rebuild");
  }

  @Test
  void rejectsRowsThatAreTooShort() {
    ByteBuffer row = RowFormat.TYPED.row(BODY);
    assertThatThrownBy(() -> RowFormat.TYPED.isBody(within()))
        .isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(() -> RowFormat.TYPED.stored(row.slice(0, row.limit() - 1)))
        .isInstanceOf(UncheckedIOException.class);
  }
}
