package io.quorate.client;

import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Failure;
import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;

/**
 * Decides what becomes of a call when an attempt at it ended without success. Pure: the random
 * numbers are an input, and it starts and remembers nothing.
 *
 * <p>What ends a call is chosen by what may have happened. A write of which any attempt may have
 * taken effect ends as {@link IndeterminateException} unless an answer settles it; everything else
 * ends as an exception that says that nothing happened.
 */
final class CallPolicy {
  /** Attempts without a pause between them: a redirect, and a look at the other replicas. */
  static final int HOPS_MAX = 4;

  private static final int DOUBLINGS_MAX = 16;

  /** What part of the time an attempt has is the least with which one is begun. */
  private static final int ATTEMPT_LEAST_DIVISOR = 4;

  private final Duration backoffMin;
  private final Duration backoffMax;
  private final Duration attemptTimeout;
  private final DoubleSupplier random;

  /**
   * @param attemptTimeout how long an attempt has; one that could not have a fair part of it is not
   *     made, because it would put a write in doubt more likely than settle it
   * @param random numbers from 0, inclusive, to 1
   */
  CallPolicy(
      Duration backoffMin, Duration backoffMax, Duration attemptTimeout, DoubleSupplier random) {
    this.backoffMin = backoffMin;
    this.backoffMax = backoffMax;
    this.attemptTimeout = attemptTimeout;
    this.random = random;
  }

  /**
   * What to do now.
   *
   * @param progress of the call, with {@code setback} already counted
   * @param setback how the last attempt ended
   * @param known whether a node is on the map
   * @param left until the call's deadline
   */
  Decision after(CallProgress progress, Setback setback, Predicate<NodeId> known, Duration left) {
    if (setback instanceof Setback.Incompatible || setback instanceof Setback.TooLarge) {
      return new Decision.GiveUp(refusal(progress, setback));
    }
    if (!allowsAttempt(progress, left)) {
      return new Decision.GiveUp(expired(progress));
    }
    if (setback instanceof Setback.Answered answered) {
      return afterAnswer(progress, answered, known, left);
    }
    boolean lost = setback instanceof Setback.Lost;
    return retry(progress, true, lost, Duration.ZERO, left);
  }

  /** Whether so much time until the deadline is enough for an attempt. */
  boolean allowsAttempt(CallProgress progress, Duration left) {
    return left.toNanos() >= attemptLeastNanos(progress);
  }

  /** In nanoseconds: this is computed for each call, and a division of durations is costly. */
  private long attemptLeastNanos(CallProgress progress) {
    return min(attemptTimeout, progress.deadline()).toNanos() / ATTEMPT_LEAST_DIVISOR;
  }

  private Decision afterAnswer(
      CallProgress progress, Setback.Answered answered, Predicate<NodeId> known, Duration left) {
    Failure failure = answered.failure();
    Duration retryAfter = Duration.ofMillis(Integer.toUnsignedLong(failure.getRetryAfterMs()));
    return switch (answered.status()) {
      case INVALID, INCOMPATIBLE, OK -> new Decision.GiveUp(refusal(progress, answered));
      case NOT_LEADER -> {
        Optional<NodeId> leader = leader(failure);
        yield leader.filter(known).isPresent() && progress.hops() < HOPS_MAX
            ? new Decision.Redirect(leader.get())
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

  /** Who leads, by a failure; empty where it does not say, or says what cannot be a node. */
  static Optional<NodeId> leader(Failure failure) {
    try {
      return failure.getLeader().isEmpty()
          ? Optional.empty()
          : Optional.of(new NodeId(failure.getLeader()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** How a call ends whose deadline has passed. */
  QuorateException expired(CallProgress progress) {
    String within = " within " + Durations.text(progress.deadline());
    String situation = progress.situation().map(reasons -> ": " + reasons).orElse("") + ".";
    if (progress.inDoubt()) {
      return new IndeterminateException(
          "The write was sent and may have taken effect, but that was not confirmed"
              + within
              + situation);
    }
    if (progress.last().orElse(null) instanceof Setback.Answered answered
        && answered.status() == Status.OVERLOADED) {
      return new OverloadedException("The cluster could not take the request" + within + situation);
    }
    return new UnavailableException("No replica could serve the request" + within + situation);
  }

  private static QuorateException refusal(CallProgress progress, Setback setback) {
    String reason = setback.reason() + ".";
    if (progress.inDoubt()) {
      return new IndeterminateException(
          "An earlier attempt at the write may have taken effect, and this one was refused: "
              + reason);
    }
    boolean incompatible =
        setback instanceof Setback.Incompatible
            || (setback instanceof Setback.Answered answered
                && answered.status() == Status.INCOMPATIBLE);
    return incompatible ? new IncompatibleException(reason) : new InvalidRequestException(reason);
  }

  private Decision retry(
      CallProgress progress,
      boolean elsewhere,
      boolean refreshMap,
      Duration retryAfter,
      Duration left) {
    return progress.hops() < HOPS_MAX
        ? new Decision.Retry(Duration.ZERO, elsewhere, refreshMap)
        : pause(progress, elsewhere, refreshMap, retryAfter, left);
  }

  private Decision pause(
      CallProgress progress,
      boolean elsewhere,
      boolean refreshMap,
      Duration retryAfter,
      Duration left) {
    Duration jittered = backoff(progress.pauses());
    Duration asked = min(retryAfter, backoffMax);
    Duration longer = jittered.compareTo(asked) > 0 ? jittered : asked;
    // Not so long that no time is left for another attempt.
    Duration pause = min(longer, left.minusNanos(attemptLeastNanos(progress)));
    return new Decision.Retry(max(pause, Duration.ofNanos(1)), elsewhere, refreshMap);
  }

  /** A random pause with an upper bound that doubles with every one before ("full jitter"). */
  Duration backoff(int pausesBefore) {
    long cap =
        Math.min(
            backoffMax.toNanos(), backoffMin.toNanos() << Math.min(pausesBefore, DOUBLINGS_MAX));
    return Duration.ofNanos((long) (cap * random.getAsDouble()));
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }
}
