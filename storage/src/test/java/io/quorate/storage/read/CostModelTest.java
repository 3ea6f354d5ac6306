package io.quorate.storage.read;

import static io.quorate.storage.TestRegion.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.storage.TestRegion;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.command.RowFormat;
import io.quorate.storage.read.CostModel.Costs;
import io.quorate.storage.read.CostModel.Removals;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** The removals that are counted, and the mode that is chosen (rule B8). */
class CostModelTest {
  private static final OperationExecutor EXECUTION = new OperationExecutor(RowFormat.PLAIN);

  private final Overlay overlay = new Overlay(1 << 20, 1L << 30);
  private long last = -1;

  private void commit(Operation.OnKey... operations) {
    overlay.add(at(++last), List.of(operations), 0);
  }

  private Removals removals(int rows) throws IOException {
    return removals(Position.NONE, rows);
  }

  private Removals removals(Position from, int rows) throws IOException {
    try (Overlay.Pin pin = overlay.pin()) {
      return CostModel.removals(
          pin.changes(KeyRange.ALL, ScanOrder.FORWARD), from, pin.upTo(), rows, EXECUTION);
    }
  }

  private static Operation.CompareAndSet swap(String key, Optional<String> replacement) {
    return new Operation.CompareAndSet(
        Key.utf8(key), Optional.of(TestRegion.bytes("0")), replacement.map(TestRegion::bytes));
  }

  @Test
  void onlyTheFinalOperationOfAKeyCounts() throws IOException {
    commit(TestRegion.delete("a"), TestRegion.delete("b"));
    commit(TestRegion.delete("a"));
    commit(TestRegion.put("b", "1"));
    commit(TestRegion.put("c", "1"));
    commit(TestRegion.delete("c"));
    assertThat(removals(9)).isEqualTo(new Removals(2, at(4)));
    assertThat(removals(at(2), 9)).as("a is applied").isEqualTo(new Removals(1, at(4)));
    assertThat(removals(at(4), 9)).isEqualTo(Removals.NONE);
  }

  @Test
  void removalsBeyondTheLastReturnedRowDoNotCount() throws IOException {
    commit(TestRegion.put("a", "1"), TestRegion.delete("b"), TestRegion.put("c", "1"));
    commit(TestRegion.delete("d"));
    assertThat(removals(1)).as("a is enough").isEqualTo(Removals.NONE);
    assertThat(removals(2)).as("a and c are enough").isEqualTo(new Removals(1, at(0)));
    assertThat(removals(3)).isEqualTo(new Removals(2, at(1)));
  }

  @Test
  void operationsThatDependOnTheStateCountIfTheyMayRemove() throws IOException {
    commit(swap("a", Optional.empty()));
    commit(swap("b", Optional.of("1")));
    commit(TestRegion.increment("c", 1), TestRegion.append("d", "1"));
    assertThat(removals(9)).isEqualTo(new Removals(1, at(0)));
    // If the pending changes determine the value, they determine whether the key is removed.
    commit(TestRegion.put("e", "0"));
    commit(swap("e", Optional.empty()), TestRegion.put("f", "1"));
    commit(swap("f", Optional.empty()));
    assertThat(removals(9)).isEqualTo(new Removals(2, at(4)));
  }

  private static ScanPlan choose(int rows, Removals removals, double row, double position) {
    return CostModel.choose(
        rows, removals, at(100), new Costs(OptionalDouble.of(row), OptionalDouble.of(position)));
  }

  @Test
  void theCheaperModeIsChosen() {
    Removals some = new Removals(3, at(110));
    assertThat(choose(20, some, 9, 3)).as("27 < 30").isEqualTo(ScanPlan.immediate(23));
    assertThat(choose(20, some, 10, 3)).as("30 < 30").isEqualTo(ScanPlan.relaxed(at(110), 20));
    assertThat(choose(20, some, 11, 3)).as("33 < 30").isEqualTo(ScanPlan.relaxed(at(110), 20));
    assertThat(choose(20, Removals.NONE, 10, 0)).isEqualTo(ScanPlan.immediate(20));
    assertThat(choose(Integer.MAX_VALUE, some, 1, 3).stateRows()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void noScanWaitsWhileACostIsUnknown() {
    Removals some = new Removals(1_000, at(101));
    OptionalDouble unknown = OptionalDouble.empty();
    OptionalDouble known = OptionalDouble.of(1);
    for (Costs costs :
        List.of(
            new Costs(unknown, unknown), new Costs(known, unknown), new Costs(unknown, known))) {
      assertThat(CostModel.choose(1, some, at(100), costs)).isEqualTo(ScanPlan.immediate(1_001));
    }
  }
}
