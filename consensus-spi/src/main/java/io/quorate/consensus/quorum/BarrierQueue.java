package io.quorate.consensus.quorum;

import io.quorate.consensus.Position;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * What waits until a position is executed here, or until its time is up. Not thread-safe; as long
 * as what waits, which whoever adds bounds.
 *
 * @param <T> what waits
 */
public final class BarrierQueue<T> {
  private record Waiting<T>(long index, long deadlineNanos, T what) {}

  private final PriorityQueue<Waiting<T>> queue =
      new PriorityQueue<>(Comparator.comparingLong(Waiting::index));

  /** No later than the first deadline of what waits; of no meaning where nothing does. */
  private long firstDeadlineNanos;

  /** Makes something wait for {@code barrier}. */
  public void add(Position barrier, long deadlineNanos, T what) {
    if (queue.isEmpty() || deadlineNanos - firstDeadlineNanos < 0) {
      firstDeadlineNanos = deadlineNanos;
    }
    queue.add(new Waiting<>(barrier.index(), deadlineNanos, what));
  }

  public boolean isEmpty() {
    return queue.isEmpty();
  }

  /**
   * When {@link #expire} is needed, at the latest.
   *
   * @param idleNanos the answer if nothing waits
   */
  public long dueAt(long idleNanos) {
    return queue.isEmpty() || firstDeadlineNanos - idleNanos > 0 ? idleNanos : firstDeadlineNanos;
  }

  /** Takes out what waits for nothing beyond {@code executed}. */
  public void release(Position executed, Consumer<T> to) {
    while (!queue.isEmpty() && queue.peek().index() <= executed.index()) {
      to.accept(queue.remove().what());
    }
  }

  /** Takes out what has waited for too long. */
  public void expire(long nowNanos, Consumer<T> to) {
    if (queue.isEmpty() || firstDeadlineNanos - nowNanos > 0) {
      return;
    }
    List<T> late = new ArrayList<>();
    queue.removeIf(
        waiting -> {
          boolean isLate = waiting.deadlineNanos() - nowNanos <= 0;
          if (isLate) {
            late.add(waiting.what());
          }
          return isLate;
        });
    firstDeadlineNanos =
        queue.stream()
            .mapToLong(Waiting::deadlineNanos)
            .reduce((one, other) -> one - other < 0 ? one : other)
            .orElse(nowNanos);
    late.forEach(to);
  }

  /** Takes out everything. */
  public void clear(Consumer<T> to) {
    List<Waiting<T>> all = List.copyOf(queue);
    queue.clear();
    all.forEach(waiting -> to.accept(waiting.what()));
  }
}
