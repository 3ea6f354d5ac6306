package io.quorate.server.verification.torture;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Outcome;
import io.quorate.server.verification.workload.Observer;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Counts operations by kind and outcome. Safe for use by many threads. */
final class Tally implements Observer {
  private final Map<String, Counts> counts = new TreeMap<>();
  private final Availability availability;
  private Optional<String> surprise = Optional.empty();
  private long operations;

  /** How many operations of a kind ended in which way. */
  record Counts(long ok, long failed, long indeterminate) {
    private static final Counts NONE = new Counts(0, 0, 0);

    private Counts and(Outcome outcome) {
      if (outcome instanceof Outcome.Ok) {
        return new Counts(ok + 1, failed, indeterminate);
      } else if (outcome instanceof Outcome.Failed) {
        return new Counts(ok, failed + 1, indeterminate);
      }
      return new Counts(ok, failed, indeterminate + 1);
    }
  }

  Tally(Availability availability) {
    this.availability = availability;
  }

  @Override
  public void ended(Action action, Outcome outcome) {
    if (outcome instanceof Outcome.Ok) {
      availability.succeeded();
    }
    synchronized (this) {
      operations++;
      counts.merge(kind(action), Counts.NONE.and(outcome), (before, one) -> before.and(outcome));
    }
  }

  @Override
  public synchronized void surprised(Action action, Throwable failure) {
    if (surprise.isEmpty()) {
      surprise = Optional.of(action + " failed with " + failure);
    }
  }

  synchronized long operations() {
    return operations;
  }

  synchronized Map<String, Counts> counts() {
    return new TreeMap<>(counts);
  }

  /** The first failure that the client does not document, if there was one. */
  synchronized Optional<String> surprise() {
    return surprise;
  }

  /** Such as {@code compare-and-set}. */
  private static String kind(Action action) {
    return action
        .getClass()
        .getSimpleName()
        .replaceAll("(?<=[a-z])(?=[A-Z])", "-")
        .toLowerCase(Locale.ROOT);
  }
}
