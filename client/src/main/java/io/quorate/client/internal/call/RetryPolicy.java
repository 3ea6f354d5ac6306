package io.quorate.client.internal.call;

import io.quorate.client.DeniedException;
import io.quorate.client.Durations;
import io.quorate.client.IncompatibleException;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.OverloadedException;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.client.internal.connection.AttemptFailure;
import io.quorate.client.internal.connection.Pauses;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Decides how a call continues after an attempt has failed. Stateless: random numbers are an input,
 * and no method has side effects.
 *
 * <p>The exception of a call depends on its possible effects. A write of which any attempt may have
 * taken effect fails with {@link IndeterminateException} unless a response settles it; every other
 * call fails with an exception that states that the call had no effect.
 */
final class RetryPolicy {
  /** Attempts without a pause between them: a redirect, and attempts at the other replicas. */
  static final int HOPS_MAX = 4;

  /**
   * The divisor that yields the shortest remaining time for an attempt from the attempt timeout.
   */
  private static final int ATTEMPT_MIN_DIVISOR = 4;

  private final Pauses pauses;
  private final Duration attemptTimeout;

  /**
   * @param attemptTimeout the timeout of an attempt; an attempt that would have much less time is
   *     not made, because it would more likely leave a write in doubt than settle it
   */
  RetryPolicy(Pauses pauses, Duration attemptTimeout) {
    this.pauses = pauses;
    this.attemptTimeout = attemptTimeout;
  }

  /**
   * Returns the next step of a call.
   *
   * @param progress the state of the call, which includes {@code failure}
   * @param failure how the last attempt ended
   * @param inTopology whether a node is in the topology
   * @param left the time until the deadline of the call
   */
  RetryDecision after(
      RetryState progress, AttemptFailure failure, Predicate<NodeId> inTopology, Duration left) {
    boolean isFinal =
        switch (failure.kind()) {
          case INCOMPATIBLE, TOO_LARGE -> true;
          case ERROR_RESPONSE, LOST, TIMED_OUT, INCONCLUSIVE -> false;
        };
    if (isFinal) {
      return new RetryDecision.GiveUp(refusal(progress, failure));
    }
    if (!allowsAttempt(progress, left)) {
      return new RetryDecision.GiveUp(expired(progress));
    }
    if (failure instanceof AttemptFailure.ErrorResponse error) {
      return afterErrorResponse(progress, error, inTopology, left);
    }
    boolean lost = failure instanceof AttemptFailure.Lost;
    return retry(progress, true, lost, Duration.ZERO, left);
  }

  /** Returns the next step of a call that begins anew, at the same node. */
  RetryDecision again(RetryState progress, Duration left) {
    return allowsAttempt(progress, left)
        ? retry(progress, false, false, Duration.ZERO, left)
        : new RetryDecision.GiveUp(expired(progress));
  }

  /** Whether the time until the deadline is enough for an attempt. */
  boolean allowsAttempt(RetryState progress, Duration left) {
    return left.toNanos() >= attemptMinNanos(progress);
  }

  /** In nanoseconds: this is computed for each call, and dividing a {@link Duration} is costly. */
  private long attemptMinNanos(RetryState progress) {
    return min(attemptTimeout, progress.deadline()).toNanos() / ATTEMPT_MIN_DIVISOR;
  }

  private RetryDecision afterErrorResponse(
      RetryState progress,
      AttemptFailure.ErrorResponse error,
      Predicate<NodeId> inTopology,
      Duration left) {
    Failure failure = error.failure();
    Duration retryAfter = Duration.ofMillis(Integer.toUnsignedLong(failure.getRetryAfterMs()));
    return switch (error.status()) {
      case INVALID, INCOMPATIBLE, DENIED, OK -> new RetryDecision.GiveUp(refusal(progress, error));
      case NOT_LEADER -> {
        Optional<NodeId> leader = leader(failure);
        yield leader.filter(inTopology).isPresent() && progress.hops() < HOPS_MAX
            ? new RetryDecision.Redirect(leader.get())
            : retry(progress, true, leader.isPresent(), Duration.ZERO, left);
      }
      case STALE_EPOCH -> retry(progress, false, !failure.hasTopology(), Duration.ZERO, left);
      case OVERLOADED -> pause(progress, false, false, retryAfter, left);
      case UNAVAILABLE ->
          failure.getElsewhere()
              ? retry(progress, true, false, retryAfter, left)
              : pause(progress, true, false, retryAfter, left);
      case INDETERMINATE, INTERNAL -> pause(progress, true, false, retryAfter, left);
    };
  }

  /** The leader that an error response names; empty if it names none, or an invalid node name. */
  static Optional<NodeId> leader(Failure failure) {
    try {
      return failure.getLeader().isEmpty()
          ? Optional.empty()
          : Optional.of(new NodeId(failure.getLeader()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The exception of a call whose deadline has passed. */
  QuorateException expired(RetryState progress) {
    QuorateException expired = withoutCause(progress);
    progress.cause().ifPresent(expired::initCause);
    return expired;
  }

  private static QuorateException withoutCause(RetryState progress) {
    String within = " within " + Durations.text(progress.deadline());
    String situation = progress.situation().map(reasons -> ": " + reasons).orElse("") + ".";
    if (progress.inDoubt()) {
      return new IndeterminateException(
          "The write was sent and may have taken effect, but that was not confirmed"
              + within
              + situation);
    }
    if (progress.last().orElse(null) instanceof AttemptFailure.ErrorResponse error
        && error.status() == Status.OVERLOADED) {
      return new OverloadedException("The cluster could not take the request" + within + situation);
    }
    return new UnavailableException("No replica could serve the request" + within + situation);
  }

  private static QuorateException refusal(RetryState progress, AttemptFailure failure) {
    String reason = failure.reason() + ".";
    if (progress.inDoubt()) {
      return new IndeterminateException(
          "An earlier attempt at the write may have taken effect, and this one was refused: "
              + reason);
    }
    if (failure instanceof AttemptFailure.Incompatible incompatible) {
      return incompatible.exception();
    }
    Status status =
        failure instanceof AttemptFailure.ErrorResponse error ? error.status() : Status.INVALID;
    return switch (status) {
      case INCOMPATIBLE -> new IncompatibleException(reason);
      case DENIED -> new DeniedException(reason);
      default -> new InvalidRequestException(reason);
    };
  }

  private RetryDecision retry(
      RetryState progress,
      boolean elsewhere,
      boolean refreshTopology,
      Duration retryAfter,
      Duration left) {
    return progress.hops() < HOPS_MAX
        ? new RetryDecision.Retry(Duration.ZERO, elsewhere, refreshTopology)
        : pause(progress, elsewhere, refreshTopology, retryAfter, left);
  }

  private RetryDecision pause(
      RetryState progress,
      boolean elsewhere,
      boolean refreshTopology,
      Duration retryAfter,
      Duration left) {
    Duration jittered = pauses.after(progress.pauses());
    Duration requested = min(retryAfter, pauses.max());
    Duration longer = jittered.compareTo(requested) > 0 ? jittered : requested;
    // The pause leaves enough time for another attempt.
    Duration pause = min(longer, left.minusNanos(attemptMinNanos(progress)));
    return new RetryDecision.Retry(max(pause, Duration.ofNanos(1)), elsewhere, refreshTopology);
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }
}
