package io.quorate.storage.read;

import static io.quorate.protocol.operation.ScanOrder.FORWARD;
import static io.quorate.storage.TestRegion.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.storage.Model;
import io.quorate.storage.RandomHistory;
import io.quorate.storage.TestRegion;
import io.quorate.storage.command.EarlyReply;
import io.quorate.storage.command.MergeChain;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.command.RowFormat;
import io.quorate.storage.session.SessionTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares a state and the overlay beyond it with a replay of the whole log, for every position of
 * the state and every read position, with retried and forgotten requests in the log.
 */
class OverlayTest {
  private static final int BATCHES = 60;
  private static final OperationExecutor EXECUTION = new OperationExecutor(RowFormat.PLAIN);

  /** The rows of a state from a sorted map. */
  private static final class PlainRows implements RowIterator {
    private final Iterator<Map.Entry<String, String>> remaining;
    private Optional<Map.Entry<String, String>> current;
    private int rowsRead;

    PlainRows(SortedMap<String, String> rows) {
      this.remaining = rows.entrySet().iterator();
      this.current = advance();
    }

    private Optional<Map.Entry<String, String>> advance() {
      if (!remaining.hasNext()) {
        return Optional.empty();
      }
      rowsRead++;
      return Optional.of(remaining.next());
    }

    @Override
    public boolean isAtRow() {
      return current.isPresent();
    }

    @Override
    public Key key() {
      return Key.utf8(current.orElseThrow().getKey());
    }

    @Override
    public ByteBuffer value() {
      return TestRegion.bytes(current.orElseThrow().getValue());
    }

    @Override
    public void next() {
      current = advance();
    }
  }

  static List<Long> seeds() {
    return List.of(1L, 2L, 3L, System.nanoTime());
  }

  private static Overlay overlay() {
    return new Overlay(1 << 20, 1L << 30);
  }

  /** The overlay of the whole history, after the same session check as the applier's. */
  private static Overlay overlayOf(RandomHistory history) {
    Overlay overlay = overlay();
    EarlyReply earlyReply =
        new EarlyReply(
            new SessionTable(
                TestRegion.GROUP, RandomHistory.WINDOW, SessionTable.OwnRows.UNWRITTEN),
            RegionShape.initial(TestRegion.GROUP, KeyRange.ALL),
            EXECUTION);
    for (int i = 0; i < history.batches.size(); i++) {
      List<Operation.OnKey> effects = new ArrayList<>();
      for (ClientCommand request : history.batches.get(i)) {
        effects.addAll(earlyReply.admit(request, at(i)).effects());
      }
      overlay.add(at(i), effects, 0);
    }
    return overlay;
  }

  /** The empty state, followed by the state after each batch. */
  private static List<TreeMap<String, String>> states(RandomHistory history) {
    List<TreeMap<String, String>> states = new ArrayList<>();
    Model model = history.newModel();
    states.add(new TreeMap<>());
    for (int i = 0; i < history.batches.size(); i++) {
      for (ClientCommand request : history.batches.get(i)) {
        model.apply(request, at(i));
      }
      states.add(new TreeMap<>(model.rows));
    }
    return states;
  }

  private static Map<String, String> scan(RowIterator rows, int rowsMax) throws IOException {
    Map<String, String> found = new LinkedHashMap<>();
    for (; rows.isAtRow() && found.size() < rowsMax; rows.next()) {
      found.put(
          new String(rows.key().bytes(), StandardCharsets.UTF_8), TestRegion.text(rows.value()));
    }
    return found;
  }

  private static Map<String, String> scan(
      Overlay overlay,
      NavigableMap<String, String> state,
      ScanOrder order,
      Position from,
      Position to)
      throws IOException {
    PlainRows rows = new PlainRows(ordered(state, order));
    try (Overlay.Pin pin = overlay.pin()) {
      return scan(
          new MergingIterator(rows, pin.changes(KeyRange.ALL, order), order, from, to, EXECUTION),
          Integer.MAX_VALUE);
    }
  }

  private static NavigableMap<String, String> ordered(
      NavigableMap<String, String> rows, ScanOrder order) {
    return order == FORWARD ? rows : rows.descendingMap();
  }

  private static Optional<String> get(
      Overlay overlay, Map<String, String> state, String key, Position from, Position to)
      throws IOException {
    Optional<String> before = Optional.ofNullable(state.get(key));
    Optional<MergeChain> chain =
        overlay.changes(Key.utf8(key)).flatMap(changes -> changes.between(from, to));
    return chain.isEmpty()
        ? before
        : chain.get().applyTo(before.map(TestRegion::bytes), EXECUTION).map(TestRegion::text);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyReadIsTheStateAtOnePosition(long seed) throws IOException {
    RandomHistory history = new RandomHistory(seed, BATCHES);
    List<TreeMap<String, String>> states = states(history);
    Overlay overlay = overlayOf(history);
    for (int from = -1; from < BATCHES; from++) {
      // The database may contain changes that are still in the overlay, and may be behind the read
      // position.
      overlay.applied(at(Math.floorDiv(from, 3)));
      TreeMap<String, String> state = states.get(from + 1);
      for (int to = from; to < BATCHES; to++) {
        String when = "seed " + seed + ", state " + from + ", read " + to;
        TreeMap<String, String> expected = states.get(to + 1);
        for (ScanOrder order : ScanOrder.values()) {
          assertThat(scan(overlay, state, order, at(from), at(to)))
              .as("%s, %s", when, order)
              .containsExactlyEntriesOf(ordered(expected, order));
        }
        for (int k = 0; k < 12; k++) {
          String key = "key" + k;
          assertThat(get(overlay, state, key, at(from), at(to)))
              .as(when + ", " + key)
              .isEqualTo(Optional.ofNullable(expected.get(key)));
        }
      }
    }
  }

  /**
   * For every state and position, a scan with a row limit has the same result when it merges row by
   * row, when it reads one block with an additional row for each counted removal, and when it reads
   * one block of the requested size after these removals are applied; and neither block is too
   * short (B8).
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void countScansAgreeAndBlocksSuffice(long seed) throws IOException {
    RandomHistory history = new RandomHistory(seed, BATCHES);
    List<TreeMap<String, String>> states = states(history);
    Overlay overlay = overlayOf(history);
    int removalsCounted = 0;
    for (int from = -1; from < BATCHES; from++) {
      for (int to = from; to < BATCHES; to++) {
        for (int rows = 1; rows < 6; rows += 2) {
          String when = "seed " + seed + ", state " + from + ", read " + to + ", rows " + rows;
          CostModel.Removals removals;
          try (Overlay.Pin pin = overlay.pin()) {
            removals =
                CostModel.removals(
                    pin.changes(KeyRange.ALL, FORWARD), at(from), at(to), rows, EXECUTION);
          }
          Map<String, String> expected = first(states.get(to + 1), rows);
          Position applied = removals.keys() > 0 ? removals.last() : at(from);
          int enough = rows + removals.keys();
          assertThat(countScan(overlay, states, at(from), at(to), rows, 0))
              .as(when)
              .isEqualTo(expected);
          assertThat(countScan(overlay, states, at(from), at(to), rows, enough))
              .as(when + ", immediate")
              .isEqualTo(expected);
          assertThat(countScan(overlay, states, applied, at(to), rows, rows))
              .as(when + ", relaxed")
              .isEqualTo(expected);
          removalsCounted += removals.keys();
        }
      }
    }
    assertThat(removalsCounted).as("seed %d", seed).isPositive();
  }

  private static Map<String, String> first(SortedMap<String, String> state, int rows) {
    Map<String, String> first = new LinkedHashMap<>();
    state.entrySet().stream().limit(rows).forEach(row -> first.put(row.getKey(), row.getValue()));
    return first;
  }

  /**
   * @param blockRows the number of rows to read from the state in one block, which must suffice; 0
   *     to read rows on demand
   */
  private static Map<String, String> countScan(
      Overlay overlay,
      List<TreeMap<String, String>> states,
      Position from,
      Position to,
      int rows,
      int blockRows)
      throws IOException {
    PlainRows state = new PlainRows(states.get((int) from.index() + 1));
    try (Overlay.Pin pin = overlay.pin()) {
      RowIterator merged =
          new MergingIterator(
              blockRows > 0 ? new PrefetchingIterator(state, blockRows, Long.MAX_VALUE) : state,
              pin.changes(KeyRange.ALL, FORWARD),
              FORWARD,
              from,
              to,
              EXECUTION);
      Map<String, String> found = scan(merged, rows - 1);
      // Does not advance beyond the last row, since the rule does not count that step.
      if (merged.isAtRow()) {
        found.put(
            new String(merged.key().bytes(), StandardCharsets.UTF_8),
            TestRegion.text(merged.value()));
      }
      if (blockRows > 0) {
        // One more row: the one at which the cursor stands after the block.
        assertThat(state.rowsRead).isLessThanOrEqualTo(blockRows + 1);
      }
      return found;
    }
  }

  /**
   * However many increments are pending, a read executes only those that no earlier read has
   * executed.
   */
  @Test
  void readsReuseTheResultsOfEarlierReads() throws IOException {
    Overlay overlay = overlay();
    Map<String, String> state = Map.of("n", "7");
    for (int i = 0; i < 5_000; i++) {
      overlay.add(at(i), List.of(TestRegion.increment("n", 1)), 0);
    }
    assertThat(pending(overlay, "n", at(-1), at(4_999))).isEqualTo(5_000);
    assertThat(get(overlay, state, "n", at(-1), at(4_999))).contains("5007");
    overlay.add(at(5_000), List.of(TestRegion.increment("n", 10)), 0);
    assertThat(pending(overlay, "n", at(-1), at(5_000))).isEqualTo(1);
    assertThat(get(overlay, state, "n", at(-1), at(5_000))).contains("5017");
    // Also if the database is further, if changes were removed, or if the read is at an earlier
    // position.
    assertThat(get(overlay, Map.of("n", "107"), "n", at(99), at(5_000))).contains("5017");
    overlay.applied(at(99));
    assertThat(get(overlay, Map.of("n", "107"), "n", at(99), at(4_000))).contains("4008");
    assertThat(pending(overlay, "n", at(99), at(5_000))).isLessThanOrEqualTo(1);
    assertThat(get(overlay, Map.of("n", "107"), "n", at(99), at(5_000))).contains("5017");
  }

  /** Long values are not cached, since the bounds count only the commands. */
  @Test
  void longValuesAreNotCached() throws IOException {
    Overlay overlay = overlay();
    overlay.add(at(0), List.of(TestRegion.append("x", "a".repeat(100))), 0);
    overlay.add(at(1), List.of(TestRegion.append("x", "b".repeat(100))), 0);
    assertThat(get(overlay, Map.of(), "x", at(-1), at(1))).isPresent();
    assertThat(pending(overlay, "x", at(-1), at(1))).isEqualTo(2);
  }

  /** The number of operations that a read of the key executes. */
  private static int pending(Overlay overlay, String key, Position from, Position to) {
    return overlay.changes(Key.utf8(key)).orElseThrow().between(from, to).orElseThrow().size();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void appliedChangesAreRemoved(long seed) throws IOException {
    RandomHistory history = new RandomHistory(seed, BATCHES);
    Overlay overlay = overlayOf(history);
    long initial = overlay.changes();
    assertThat(initial).as("seed %d", seed).isPositive();
    for (int i = 0; i < BATCHES; i++) {
      long before = overlay.changes();
      overlay.applied(at(i));
      assertThat(overlay.changes()).as("seed %d, at %d", seed, i).isLessThanOrEqualTo(before);
    }
    assertThat(overlay.changes()).isZero();
    assertThat(overlay.bytes()).isZero();
    try (Overlay.Pin pin = overlay.pin()) {
      assertThat(pin.changes(KeyRange.ALL, FORWARD)).isExhausted();
    }
  }

  @Test
  void aScanKeepsTheOverlayThatItBeganWith() throws IOException {
    Overlay overlay = overlay();
    overlay.restart(at(0));
    overlay.add(at(1), List.of(TestRegion.put("x", "1")), 10);
    try (Overlay.Pin pin = overlay.pin()) {
      overlay.applied(at(1));
      overlay.add(at(2), List.of(TestRegion.put("y", "2")), 10);
      assertThat(overlay.changes()).isEqualTo(2);
      assertThat(pin.upTo()).isEqualTo(at(1));
      RowIterator merged =
          new MergingIterator(
              new PlainRows(new TreeMap<>()),
              pin.changes(KeyRange.ALL, FORWARD),
              FORWARD,
              at(0),
              pin.upTo(),
              EXECUTION);
      assertThat(scan(merged, 9)).isEqualTo(Map.of("x", "1"));
    }
    assertThat(overlay.changes()).isEqualTo(1);
  }

  @Test
  void theBoundsCauseBackPressure() {
    Overlay overlay = new Overlay(2, 1_000);
    assertThat(overlay.add(at(0), List.of(TestRegion.delete("x")), 1).toCompletableFuture())
        .isCompleted();
    var full = overlay.add(at(1), List.of(TestRegion.delete("x")), 1).toCompletableFuture();
    assertThat(full).isNotDone();
    overlay.applied(at(0));
    assertThat(full).isCompleted();
    var large = overlay.add(at(2), List.of(TestRegion.put("x", "1")), 900).toCompletableFuture();
    overlay.applied(at(1));
    assertThat(large).isNotDone();
    overlay.close();
    assertThat(large).isCompletedExceptionally();
  }

  /**
   * A count scan reads one row of the state for each deleted row that it skips, and no more (B8).
   */
  @Test
  void countScanReadsNoMoreThanItNeeds() throws IOException {
    TreeMap<String, String> state = new TreeMap<>();
    for (char c = 'a'; c <= 'z'; c++) {
      state.put(String.valueOf(c), "0");
    }
    Overlay overlay = overlay();
    overlay.add(
        at(0),
        List.of(
            TestRegion.delete("b"),
            TestRegion.delete("c"),
            TestRegion.put("c", "1"),
            TestRegion.delete("bb"),
            TestRegion.delete("y")),
        0);
    PlainRows rows = new PlainRows(state);
    try (Overlay.Pin pin = overlay.pin()) {
      RowIterator merged =
          new MergingIterator(
              rows, pin.changes(KeyRange.ALL, FORWARD), FORWARD, Position.NONE, at(0), EXECUTION);
      assertThat(scan(merged, 3).keySet()).containsExactly("a", "c", "d");
    }
    // The rows a, b, c, d, and the one at which the cursor stands.
    assertThat(rows.rowsRead).isEqualTo(5);
  }
}
