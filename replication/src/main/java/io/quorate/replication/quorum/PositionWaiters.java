package io.quorate.replication.quorum;

import io.quorate.model.Position;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * A queue of values that wait until this replica has executed a position, or until a deadline. Not
 * thread-safe. The caller bounds the number of values.
 *
 * @param <T> the type of the waiting values, for example reads
 */
final class PositionWaiters<T> {
  private record Waiter<T>(long index, long deadlineNanos, T value) {}

  private final PriorityQueue<Waiter<T>> queue =
      new PriorityQueue<>(Comparator.comparingLong(Waiter::index));

  /** A lower bound of all deadlines in the queue; undefined while the queue is empty. */
  private long firstDeadlineNanos;

  /** Adds a value that waits for {@code barrier}. */
  public void add(Position barrier, long deadlineNanos, T value) {
    if (queue.isEmpty() || deadlineNanos - firstDeadlineNanos < 0) {
      firstDeadlineNanos = deadlineNanos;
    }
    queue.add(new Waiter<>(barrier.index(), deadlineNanos, value));
  }

  public boolean isEmpty() {
    return queue.isEmpty();
  }

  /**
   * The time by which {@link #expire} must be called.
   *
   * @param idleNanos the latest time to return; returned if the queue is empty
   */
  public long dueAt(long idleNanos) {
    return queue.isEmpty() || firstDeadlineNanos - idleNanos > 0 ? idleNanos : firstDeadlineNanos;
  }

  /** Removes the values whose barrier is at or below {@code executed}. */
  public void release(Position executed, Consumer<T> consumer) {
    while (!queue.isEmpty() && queue.peek().index() <= executed.index()) {
      consumer.accept(queue.remove().value());
    }
  }

  /** Removes the values whose deadline is at or before {@code nowNanos}. */
  public void expire(long nowNanos, Consumer<T> consumer) {
    if (queue.isEmpty() || firstDeadlineNanos - nowNanos > 0) {
      return;
    }
    List<T> expired = new ArrayList<>();
    queue.removeIf(
        waiter -> {
          boolean isExpired = waiter.deadlineNanos() - nowNanos <= 0;
          if (isExpired) {
            expired.add(waiter.value());
          }
          return isExpired;
        });
    firstDeadlineNanos =
        queue.stream()
            .mapToLong(Waiter::deadlineNanos)
            .reduce((first, second) -> first - second < 0 ? first : second)
            .orElse(nowNanos);
    expired.forEach(consumer);
  }

  /** Removes all values. */
  public void clear(Consumer<T> consumer) {
    List<Waiter<T>> all = List.copyOf(queue);
    queue.clear();
    all.forEach(waiter -> consumer.accept(waiter.value()));
  }
}
