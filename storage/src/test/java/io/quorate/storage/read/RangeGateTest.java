package io.quorate.storage.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.storage.context.CloseGuard;
import io.quorate.storage.context.FailureReport;
import io.quorate.storage.options.StorageListener;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RangeGateTest {
  private static final GroupId REGION = new GroupId(3);
  private static final Key B = Key.utf8("b");
  private static final Key M = Key.utf8("m");

  private final RowsGate rows =
      new RowsGate(new CloseGuard(), new FailureReport(StorageListener.NONE), REGION);
  private KeyRange range = KeyRange.of(Key.utf8("a"), Key.utf8("n"));
  private final RangeGate gate = new RangeGate(rows, REGION, () -> range);

  @BeforeEach
  void open() throws IOException {
    rows.replace(Optional::empty);
  }

  @Test
  void keysOfTheRegionAreRead() {
    assertThat(gate.<String>reading(B, () -> "value")).isEqualTo("value");
    assertThat(gate.<String>reading(KeyRange.of(B, M), () -> "rows")).isEqualTo("rows");
  }

  @Test
  void otherKeysAreRefused() {
    assertThatThrownBy(() -> gate.reading(Key.utf8("n"), () -> "value"))
        .isInstanceOf(OutOfRangeException.class);
    assertThatThrownBy(() -> gate.reading(KeyRange.of(B, Key.utf8("o")), () -> "rows"))
        .isInstanceOf(OutOfRangeException.class);
  }

  /** The child of a split may have written the rows that such a reading has found. */
  @Test
  void keysThatLeaveTheRegionWhileTheyAreReadAreRefused() {
    assertThatThrownBy(
            () ->
                gate.reading(
                    M,
                    () -> {
                      range = KeyRange.of(Key.utf8("a"), M);
                      return "value";
                    }))
        .isInstanceOf(OutOfRangeException.class);
    assertThat(gate.<String>reading(B, () -> "value")).isEqualTo("value");
  }

  @Test
  void nothingIsReadWhileTheRowsAreReplaced() throws IOException {
    AtomicInteger read = new AtomicInteger();
    rows.replace(() -> Optional.of("The region is gone."));
    assertThatThrownBy(() -> gate.reading(B, read::incrementAndGet))
        .hasMessageContaining("The region is gone.");
    assertThat(read).hasValue(0);
  }
}
