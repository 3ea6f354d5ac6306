package io.quorate.client.internal.call;

import io.quorate.client.internal.connection.AttemptFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The history of a call.
 *
 * @param write whether the call changes the database
 * @param deadline the maximum duration of the call
 * @param inDoubt whether an attempt may have taken effect, or may still take effect
 * @param hops attempts since the last pause
 * @param pauses pauses so far
 * @param failures the failures of attempts that had their full timeout: the last failure of each
 *     node, or of each reason if no node responded, the newest last; at most 5
 */
record RetryState(
    boolean write,
    Duration deadline,
    boolean inDoubt,
    int hops,
    int pauses,
    List<AttemptFailure> failures) {
  private static final int FAILURES_MAX = 5;

  static RetryState start(boolean write, Duration deadline) {
    return new RetryState(write, deadline, false, 0, 0, List.of());
  }

  /** Of a call that goes on with a write of which an earlier one may have taken effect. */
  static RetryState resumed(Duration deadline) {
    return new RetryState(true, deadline, true, 0, 0, List.of());
  }

  RetryState after(AttemptFailure failure) {
    // An attempt that the deadline cut short contains less information than earlier failures.
    boolean isUninformative =
        failure instanceof AttemptFailure.TimedOut timedOut && timedOut.cutShort();
    return new RetryState(
        write,
        deadline,
        inDoubt || (write && failure.mayHaveHappened()),
        hops + 1,
        pauses,
        isUninformative && !failures.isEmpty() ? failures : with(failure));
  }

  /** After an attempt that neither took effect nor failed. */
  RetryState begunAnew() {
    return new RetryState(write, deadline, inDoubt, hops + 1, pauses, failures);
  }

  RetryState paused() {
    return new RetryState(write, deadline, inDoubt, 0, pauses + 1, failures);
  }

  /** The failure of the last attempt; empty before the first failure. */
  Optional<AttemptFailure> last() {
    return failures.isEmpty() ? Optional.empty() : Optional.of(failures.get(failures.size() - 1));
  }

  /** What this client threw last, if that is the reason of a failure. */
  Optional<Throwable> cause() {
    return failures.stream().flatMap(failure -> failure.cause().stream()).reduce((a, b) -> b);
  }

  /** The reasons of the failures, for people; empty before the first failure. */
  Optional<String> situation() {
    return failures.isEmpty()
        ? Optional.empty()
        : Optional.of(
            failures.stream().map(AttemptFailure::reason).collect(Collectors.joining("; ")));
  }

  private List<AttemptFailure> with(AttemptFailure failure) {
    List<AttemptFailure> newest = new ArrayList<>(failures);
    newest.removeIf(earlier -> source(earlier).equals(source(failure)));
    newest.add(failure);
    return List.copyOf(newest.subList(Math.max(0, newest.size() - FAILURES_MAX), newest.size()));
  }

  private static String source(AttemptFailure failure) {
    return failure instanceof AttemptFailure.ErrorResponse error ? error.node() : failure.reason();
  }
}
