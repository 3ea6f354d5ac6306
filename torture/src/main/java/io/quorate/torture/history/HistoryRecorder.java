package io.quorate.torture.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Records a history while clients run. Safe for use by many threads; each call takes a lock briefly
 * and does no I/O. Keeps every operation in memory; the caller bounds their number.
 */
public final class HistoryRecorder {
  private final LongSupplier nanoClock;
  private final Object lock = new Object();
  private final Map<Long, Pending> pending = new LinkedHashMap<>();
  private final List<Operation> completed = new ArrayList<>();
  private long begun;

  /** Creates a recorder that uses the clock of this JVM. */
  public HistoryRecorder() {
    this(System::nanoTime);
  }

  public HistoryRecorder(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Records an invocation. Must be called before the client's method is called. */
  public Pending begin(int client, Action action) {
    synchronized (lock) {
      Pending operation = new Pending(begun++, client, action, nanoClock.getAsLong());
      pending.put(operation.id, operation);
      return operation;
    }
  }

  /** The number of operations begun so far. */
  public long begun() {
    synchronized (lock) {
      return begun;
    }
  }

  /** All operations so far; those that are not complete are indeterminate. */
  public History history() {
    synchronized (lock) {
      List<Operation> all = new ArrayList<>(completed);
      long now = nanoClock.getAsLong();
      for (Pending operation : pending.values()) {
        all.add(operation.completedAt(now, Outcome.INDETERMINATE));
      }
      return new History(all);
    }
  }

  /** An operation that was begun. Must be completed once. */
  public final class Pending {
    private final long id;
    private final int client;
    private final Action action;
    private final long invokedNanos;

    private Pending(long id, int client, Action action, long invokedNanos) {
      this.id = id;
      this.client = client;
      this.action = action;
      this.invokedNanos = invokedNanos;
    }

    /** The operation has this outcome. */
    public void complete(Outcome outcome) {
      synchronized (lock) {
        Operation operation = completedAt(nanoClock.getAsLong(), outcome);
        if (pending.remove(id) == null) {
          throw new IllegalStateException("Operation " + id + " is already complete");
        }
        completed.add(operation);
      }
    }

    private Operation completedAt(long nanos, Outcome outcome) {
      return new Operation(id, client, action, invokedNanos, nanos, outcome);
    }
  }
}
