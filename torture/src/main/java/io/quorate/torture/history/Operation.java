package io.quorate.torture.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * One operation of a client, including all of its retries.
 *
 * @param id unique in the history
 * @param client number of the client; a client that continues after an indeterminate operation may
 *     keep its number
 * @param invokedNanos the time of the invocation, on a clock that all clients of the history share
 * @param completedNanos the time at which the client received the outcome, or gave up; an operation
 *     that completed before another one was invoked precedes it, and operations with equal times
 *     overlap
 */
public record Operation(
    long id, int client, Action action, long invokedNanos, long completedNanos, Outcome outcome) {
  public Operation {
    if (completedNanos < invokedNanos) {
      throw new IllegalArgumentException("Operation " + id + " completes before it is invoked");
    }
    if (completedNanos == Long.MAX_VALUE) {
      throw new IllegalArgumentException("Operation " + id + " completes at the maximum time");
    }
    if (outcome instanceof Outcome.Ok ok && !action.allows(ok.result())) {
      throw new IllegalArgumentException(
          "Operation " + id + ", " + action + ", cannot have the result " + ok.result());
    }
  }

  /** The keys that the action names and those that the result contains; some may occur twice. */
  public Collection<String> keys() {
    List<String> keys = new ArrayList<>(action.keys());
    if (outcome instanceof Outcome.Ok ok) {
      keys.addAll(ok.result().keys());
    }
    return keys;
  }

  @Override
  public String toString() {
    return "#" + id + " " + action + " -> " + outcome;
  }
}
