package io.quorate.rabia.engine;

import io.quorate.consensus.Position;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * What waits until a slot is executed here, or until its time is up. Used by the replica's thread;
 * as long as what waits, which whoever adds bounds.
 *
 * @param <T> what waits
 */
final class BarrierQueue<T> {
  private record Waiting<T>(long index, long deadlineNanos, T what) {}

  private final PriorityQueue<Waiting<T>> queue =
      new PriorityQueue<>(Comparator.comparingLong(Waiting::index));

  void add(Position barrier, long deadlineNanos, T what) {
    queue.add(new Waiting<>(barrier.index(), deadlineNanos, what));
  }

  /** Takes out what waits for nothing beyond {@code executed}. */
  void release(Position executed, Consumer<T> to) {
    while (!queue.isEmpty() && queue.peek().index() <= executed.index()) {
      to.accept(queue.remove().what());
    }
  }

  /** Takes out what has waited for too long. */
  void expire(long nowNanos, Consumer<T> to) {
    List<T> late = new ArrayList<>();
    queue.removeIf(
        waiting -> {
          boolean isLate = waiting.deadlineNanos() - nowNanos <= 0;
          if (isLate) {
            late.add(waiting.what());
          }
          return isLate;
        });
    late.forEach(to);
  }

  /** Takes out everything. */
  void clear(Consumer<T> to) {
    List<Waiting<T>> all = List.copyOf(queue);
    queue.clear();
    all.forEach(waiting -> to.accept(waiting.what()));
  }
}
