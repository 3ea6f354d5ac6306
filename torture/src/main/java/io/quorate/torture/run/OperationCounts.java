package io.quorate.torture.run;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.workload.Observer;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Counts operations by kind and outcome, and keeps the first unexpected failure. Safe for use by
 * many threads.
 */
final class OperationCounts implements Observer {
  private final Map<String, ByOutcome> counts = new TreeMap<>();
  private final Availability availability;
  private Optional<String> unexpectedFailure = Optional.empty();
  private long operations;

  /** The number of operations of a kind, by outcome. */
  record ByOutcome(long ok, long failed, long indeterminate) {
    private static final ByOutcome NONE = new ByOutcome(0, 0, 0);

    private ByOutcome and(Outcome outcome) {
      return switch (outcome.kind()) {
        case OK -> new ByOutcome(ok + 1, failed, indeterminate);
        case FAILED -> new ByOutcome(ok, failed + 1, indeterminate);
        case INDETERMINATE -> new ByOutcome(ok, failed, indeterminate + 1);
      };
    }
  }

  OperationCounts(Availability availability) {
    this.availability = availability;
  }

  @Override
  public void completed(Action action, Outcome outcome) {
    if (outcome instanceof Outcome.Ok) {
      availability.succeeded();
    }
    synchronized (this) {
      operations++;
      counts.merge(
          kind(action), ByOutcome.NONE.and(outcome), (before, ignored) -> before.and(outcome));
    }
  }

  @Override
  public synchronized void failedUnexpectedly(Action action, Throwable failure) {
    if (unexpectedFailure.isEmpty()) {
      unexpectedFailure = Optional.of(action + " failed with " + failure);
    }
  }

  synchronized long operations() {
    return operations;
  }

  synchronized Map<String, ByOutcome> byKind() {
    return new TreeMap<>(counts);
  }

  /** The first failure that the client does not document; empty if there was none. */
  synchronized Optional<String> unexpectedFailure() {
    return unexpectedFailure;
  }

  /** Such as {@code compare-and-set}. */
  private static String kind(Action action) {
    return action.kind().name().replace('_', '-').toLowerCase(Locale.ROOT);
  }
}
