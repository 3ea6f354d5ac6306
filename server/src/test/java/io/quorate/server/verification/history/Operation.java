package io.quorate.server.verification.history;

/**
 * One operation of a client, all of its retries included.
 *
 * @param id unique in the history
 * @param client number of the client; one that goes on after an indeterminate operation may keep
 *     its number
 * @param invokedNanos when the client began, on a clock that all clients of the history share
 * @param completedNanos when it was told the outcome, or gave up; an operation that completed
 *     before another one was invoked precedes it, equal times count as overlapping
 */
public record Operation(
    long id, int client, Action action, long invokedNanos, long completedNanos, Outcome outcome) {
  public Operation {
    if (completedNanos < invokedNanos) {
      throw new IllegalArgumentException("Operation " + id + " completes before it is invoked");
    }
    if (completedNanos == Long.MAX_VALUE) {
      throw new IllegalArgumentException("Operation " + id + " completes at the end of time");
    }
    if (outcome instanceof Outcome.Ok ok && !action.answeredBy(ok.answer())) {
      throw new IllegalArgumentException(
          "Operation " + id + ", " + action + ", cannot be answered with " + ok.answer());
    }
  }

  @Override
  public String toString() {
    return "#" + id + " " + action + " -> " + outcome;
  }
}
