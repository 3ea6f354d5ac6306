package io.quorate.server.verification.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Collects a history while clients run. Safe for use by many threads; each call takes a lock for a
 * moment and does no I/O. Holds every operation in memory: who records chooses how many to begin.
 */
public final class HistoryRecorder {
  private final LongSupplier nanoClock;
  private final Object lock = new Object();
  private final Map<Long, Pending> pending = new LinkedHashMap<>();
  private final List<Operation> completed = new ArrayList<>();
  private long begun;

  /** A recorder on the clock of this JVM. */
  public HistoryRecorder() {
    this(System::nanoTime);
  }

  public HistoryRecorder(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Notes the invocation. To be called before the request is handed to the client. */
  public Pending begin(int client, Action action) {
    synchronized (lock) {
      Pending operation = new Pending(begun++, client, action, nanoClock.getAsLong());
      pending.put(operation.id, operation);
      return operation;
    }
  }

  /** Operations that were begun so far. */
  public long begun() {
    synchronized (lock) {
      return begun;
    }
  }

  /** All operations until now; those that have not completed are indeterminate. */
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

  /** An operation that was begun. Exactly one of its methods is called, once. */
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

    /** It took effect, with this answer. */
    public void ok(Answer answer) {
      complete(new Outcome.Ok(answer));
    }

    /** It certainly did not take effect and never will. */
    public void failed() {
      complete(Outcome.FAILED);
    }

    /** Whether it took or will take effect is not known. */
    public void indeterminate() {
      complete(Outcome.INDETERMINATE);
    }

    private void complete(Outcome outcome) {
      synchronized (lock) {
        Operation operation = completedAt(nanoClock.getAsLong(), outcome);
        if (pending.remove(id) == null) {
          throw new IllegalStateException("Operation " + id + " has completed before");
        }
        completed.add(operation);
      }
    }

    private Operation completedAt(long nanos, Outcome outcome) {
      return new Operation(id, client, action, invokedNanos, nanos, outcome);
    }
  }
}
