package io.quorate.ratis.health;

import io.quorate.ratis.read.ConfirmedReads.Follower;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * Which follower is to take over from a leader that cannot lead: the one with the most of the log
 * among those that respond, another one if it did not take over. Pure: time comes in as a number.
 * Not thread-safe.
 */
final class Succession {
  private final Duration heardLately;
  private final Duration catchUp;
  private final Duration patience;
  private final Duration pause;
  private final Map<RaftPeerId, Integer> requests = new HashMap<>();

  /** Since when a follower is to be requested; empty where none is. */
  private OptionalLong sinceNanos = OptionalLong.empty();

  /** Whether {@link #earliestNanos} means anything. */
  private boolean isWaiting;

  private long earliestNanos;

  /**
   * @param heardLately a follower that has been silent for longer is taken to be away
   * @param catchUp how long at most to wait for a follower that has the whole log. One that lacks
   *     an entry that another follower has loses its election, and the next one begins only after
   *     an election timeout.
   * @param patience how long a follower has to respond before the next one is requested
   * @param pause how long after a refusal the next one is requested
   */
  Succession(Duration heardLately, Duration catchUp, Duration patience, Duration pause) {
    this.heardLately = heardLately;
    this.catchUp = catchUp;
    this.patience = patience;
    this.pause = pause;
  }

  /**
   * The follower to be requested now; empty while another one has its time, where none is fit, or
   * while one may still catch up.
   *
   * @param lastIndex of the leader's log
   */
  Optional<Follower> next(List<Follower> followers, long lastIndex, long nowNanos) {
    if (isWaiting && nowNanos - earliestNanos < 0) {
      return Optional.empty();
    }
    if (sinceNanos.isEmpty()) {
      sinceNanos = OptionalLong.of(nowNanos);
    }
    boolean mayCatchUp = nowNanos - sinceNanos.getAsLong() < catchUp.toNanos();
    Optional<Follower> next =
        fit(followers)
            .min(
                Comparator.comparingInt(this::requests)
                    .thenComparing(Comparator.comparingLong(Follower::matchIndex).reversed()));
    if (mayCatchUp && next.filter(follower -> follower.matchIndex() >= lastIndex).isEmpty()) {
      return Optional.empty();
    }
    if (next.isPresent()) {
      requests.merge(next.get().id(), 1, Integer::sum);
      waitFor(patience, nowNanos);
    }
    return next;
  }

  /** Whether one that is fit has not been requested, or has its time. */
  boolean isFirstRound(List<Follower> followers, long nowNanos) {
    boolean hasItsTime = isWaiting && nowNanos - earliestNanos < 0;
    return hasItsTime || fit(followers).anyMatch(follower -> requests(follower) == 0);
  }

  private Stream<Follower> fit(List<Follower> followers) {
    return followers.stream().filter(follower -> follower.silent().compareTo(heardLately) <= 0);
  }

  private int requests(Follower follower) {
    return requests.getOrDefault(follower.id(), 0);
  }

  /** The follower that was requested last has refused. */
  void refused(long nowNanos) {
    waitFor(pause, nowNanos);
  }

  private void waitFor(Duration time, long nowNanos) {
    isWaiting = true;
    earliestNanos = nowNanos + time.toNanos();
  }

  /** There is nothing to hand over any more. */
  void reset() {
    requests.clear();
    sinceNanos = OptionalLong.empty();
    isWaiting = false;
  }
}
