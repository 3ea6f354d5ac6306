package io.quorate.storage;

import static io.quorate.storage.TestRegion.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import io.quorate.operation.Limits;
import io.quorate.operation.Operation;
import io.quorate.operation.TaggedOperation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A state and the overlay beyond it against replaying everything, for every position of the state
 * and every position asked for, with retried and forgotten requests in the log.
 */
class OverlayTest {
  private static final int BATCHES = 60;
  private static final Limits LIMITS = Limits.DEFAULT.withValueBytes(RandomHistory.VALUE_BYTES);
  private static final Execution EXECUTION = new Execution(KeyRange.ALL, LIMITS);

  /** A state as plain as can be. */
  private static final class PlainRows implements Rows {
    private final Iterator<Map.Entry<String, String>> left;
    private Optional<Map.Entry<String, String>> here;
    private int seen;

    PlainRows(SortedMap<String, String> rows) {
      this.left = rows.entrySet().iterator();
      this.here = step();
    }

    private Optional<Map.Entry<String, String>> step() {
      if (!left.hasNext()) {
        return Optional.empty();
      }
      seen++;
      return Optional.of(left.next());
    }

    @Override
    public boolean isAtRow() {
      return here.isPresent();
    }

    @Override
    public Key key() {
      return Key.utf8(here.orElseThrow().getKey());
    }

    @Override
    public ByteBuffer value() {
      return TestRegion.bytes(here.orElseThrow().getValue());
    }

    @Override
    public void next() {
      here = step();
    }
  }

  static List<Long> seeds() {
    return List.of(1L, 2L, 3L, System.nanoTime());
  }

  private static Overlay overlay() {
    return new Overlay(1 << 20, 1L << 30);
  }

  /** The overlay over the whole history, behind the same check as the applier's. */
  private static Overlay overlayOf(RandomHistory history) {
    Overlay overlay = overlay();
    Admission admission =
        new Admission(
            new SessionTable(RandomHistory.WINDOW, SessionTable.OwnRows.UNWRITTEN), EXECUTION);
    for (int i = 0; i < history.batches.size(); i++) {
      List<Operation.OnKey> effects = new ArrayList<>();
      for (TaggedOperation request : history.batches.get(i)) {
        effects.addAll(admission.admit(request.encoded(), at(i)).effects());
      }
      overlay.add(at(i), effects, 0);
    }
    return overlay;
  }

  /** The state after each batch; the first is the empty one. */
  private static List<TreeMap<String, String>> states(RandomHistory history) {
    List<TreeMap<String, String>> states = new ArrayList<>();
    Model model = history.newModel();
    states.add(new TreeMap<>());
    for (int i = 0; i < history.batches.size(); i++) {
      for (TaggedOperation request : history.batches.get(i)) {
        model.apply(request, at(i));
      }
      states.add(new TreeMap<>(model.rows));
    }
    return states;
  }

  private static Map<String, String> scan(Rows rows, int most) throws IOException {
    Map<String, String> found = new LinkedHashMap<>();
    for (; rows.isAtRow() && found.size() < most; rows.next()) {
      found.put(
          new String(rows.key().bytes(), StandardCharsets.UTF_8), TestRegion.text(rows.value()));
    }
    return found;
  }

  private static Map<String, String> scan(
      Overlay overlay, SortedMap<String, String> state, Position from, Position to)
      throws IOException {
    try (Overlay.Pin pin = overlay.pin()) {
      return scan(
          new MergedRows(new PlainRows(state), pin.changes(KeyRange.ALL), from, to, EXECUTION),
          Integer.MAX_VALUE);
    }
  }

  private static Optional<String> get(
      Overlay overlay, Map<String, String> state, String key, Position from, Position to)
      throws IOException {
    Optional<String> before = Optional.ofNullable(state.get(key));
    Optional<Fold> fold =
        overlay.changes(Key.utf8(key)).flatMap(changes -> changes.between(from, to));
    return fold.isEmpty()
        ? before
        : fold.get().over(before.map(TestRegion::bytes), EXECUTION).map(TestRegion::text);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyReadIsTheStateAtOnePosition(long seed) throws IOException {
    RandomHistory history = new RandomHistory(seed, BATCHES);
    List<TreeMap<String, String>> states = states(history);
    Overlay overlay = overlayOf(history);
    for (int from = -1; from < BATCHES; from++) {
      // The database may have more than has left the overlay, and less than is asked for.
      overlay.applied(at(Math.floorDiv(from, 3)));
      SortedMap<String, String> state = states.get(from + 1);
      for (int to = from; to < BATCHES; to++) {
        String when = "seed " + seed + ", state " + from + ", read " + to;
        Map<String, String> expected = states.get(to + 1);
        assertThat(scan(overlay, state, at(from), at(to))).as(when).isEqualTo(expected);
        for (int k = 0; k < 12; k++) {
          String key = "key" + k;
          assertThat(get(overlay, state, key, at(from), at(to)))
              .as(when + ", " + key)
              .isEqualTo(Optional.ofNullable(expected.get(key)));
        }
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatTheDatabaseHasLeaves(long seed) throws IOException {
    RandomHistory history = new RandomHistory(seed, BATCHES);
    Overlay overlay = overlayOf(history);
    long most = overlay.changes();
    assertThat(most).as("seed %d", seed).isPositive();
    for (int i = 0; i < BATCHES; i++) {
      long before = overlay.changes();
      overlay.applied(at(i));
      assertThat(overlay.changes()).as("seed %d, at %d", seed, i).isLessThanOrEqualTo(before);
    }
    assertThat(overlay.changes()).isZero();
    assertThat(overlay.bytes()).isZero();
    try (Overlay.Pin pin = overlay.pin()) {
      assertThat(pin.changes(KeyRange.ALL)).isExhausted();
    }
  }

  @Test
  void scanKeepsWhatItBeganWith() throws IOException {
    Overlay overlay = overlay();
    overlay.restart(at(0));
    overlay.add(at(1), List.of(TestRegion.put("x", "1")), 10);
    try (Overlay.Pin pin = overlay.pin()) {
      overlay.applied(at(1));
      overlay.add(at(2), List.of(TestRegion.put("y", "2")), 10);
      assertThat(overlay.changes()).isEqualTo(2);
      assertThat(pin.upTo()).isEqualTo(at(1));
      Rows merged =
          new MergedRows(
              new PlainRows(new TreeMap<>()),
              pin.changes(KeyRange.ALL),
              at(0),
              pin.upTo(),
              EXECUTION);
      assertThat(scan(merged, 9)).isEqualTo(Map.of("x", "1"));
    }
    assertThat(overlay.changes()).isEqualTo(1);
  }

  @Test
  void boundsAskForAPause() {
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

  /** A count scan reads one row of the state for each deleted row on its way, and no more (B8). */
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
      Rows merged =
          new MergedRows(rows, pin.changes(KeyRange.ALL), Position.NONE, at(0), EXECUTION);
      assertThat(scan(merged, 3).keySet()).containsExactly("a", "c", "d");
    }
    // a, b, c, d, and the one at which the cursor stands.
    assertThat(rows.seen).isEqualTo(5);
  }
}
