package io.quorate.ratis.schedule;

import io.quorate.model.Key;
import io.quorate.ratis.schedule.Write.Fate;
import io.quorate.ratis.schedule.Write.Outcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The writes of one schedule and of its predecessors' last values, and what was read. A write that
 * has no outcome yet may have taken effect. Thread-safe.
 */
final class Ledger {
  private record Read(Key key, Optional<ByteBuffer> value, long startNanos, long endNanos) {}

  private final Map<Long, Write> writes = new HashMap<>();
  private final Map<Long, Outcome> outcomes = new HashMap<>();
  private final List<Read> reads = new ArrayList<>();

  /** Begins with the last values of the schedule before. */
  Ledger(Map<Key, Write> before, long nowNanos) {
    for (Write write : before.values()) {
      begin(write);
      end(write, Fate.DONE, OptionalLong.of(-1), nowNanos);
    }
  }

  synchronized void begin(Write write) {
    writes.put(write.number(), write);
  }

  synchronized void end(Write write, Fate fate, OptionalLong index, long nowNanos) {
    outcomes.put(write.number(), new Outcome(write, fate, index, nowNanos));
  }

  /** Records a linearizable read. */
  synchronized void read(Key key, Optional<ByteBuffer> value, long startNanos, long endNanos) {
    reads.add(new Read(key, value, startNanos, endNanos));
  }

  synchronized int count(Fate fate) {
    return (int) outcomes.values().stream().filter(outcome -> outcome.fate() == fate).count();
  }

  synchronized int reads() {
    return reads.size();
  }

  /** What the reads show to be lost or wrong. To be called when all writes have ended. */
  synchronized List<String> checkReads() {
    List<String> problems = new ArrayList<>();
    for (Read read : reads) {
      check(read.key(), read.value(), read.startNanos(), problems);
      read.value()
          .map(value -> writes.get(Write.numberOf(value)))
          .filter(write -> write.startNanos() - read.endNanos() > 0)
          .ifPresent(write -> problems.add("Read before it was written: " + write));
    }
    return problems;
  }

  /** What the final values show to be lost or wrong, and the writes that they are of. */
  synchronized Map<Key, Write> checkFinal(Map<Key, ByteBuffer> values, List<String> problems) {
    Map<Key, Write> last = new TreeMap<>();
    for (Write write : List.copyOf(writes.values())) {
      if (last.containsKey(write.key())) {
        continue;
      }
      Optional<ByteBuffer> value = Optional.ofNullable(values.get(write.key()));
      check(write.key(), value, Long.MAX_VALUE, problems);
      value
          .map(bytes -> writes.get(Write.numberOf(bytes)))
          .ifPresent(found -> last.put(found.key(), found));
    }
    return last;
  }

  /**
   * Checks a value against the writes that ended before a moment.
   *
   * @param beforeNanos {@code Long.MAX_VALUE} for all
   */
  private void check(Key key, Optional<ByteBuffer> value, long beforeNanos, List<String> problems) {
    Optional<Write> found = value.map(bytes -> writes.get(Write.numberOf(bytes)));
    if (value.isPresent()
        && (found.isEmpty()
            || !found.get().key().equals(key)
            || !found.get().value().equals(value.get()))) {
      problems.add("The value of " + key + " was never written");
      return;
    }
    Optional<Outcome> visible = found.map(write -> outcomes.get(write.number()));
    if (visible.filter(outcome -> outcome.fate() == Fate.REFUSED).isPresent()) {
      problems.add("A refused write is visible: " + visible.get());
    }
    for (Outcome other : outcomes.values()) {
      boolean isLost =
          other.write().key().equals(key)
              && other.fate() == Fate.DONE
              && (beforeNanos == Long.MAX_VALUE || other.endNanos() - beforeNanos < 0)
              && visible.map(outcome -> outcome.precedes(other)).orElse(true);
      if (isLost) {
        problems.add("Lost: " + other + "; visible is " + visible);
      }
    }
  }
}
