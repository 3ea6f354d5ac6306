package io.quorate.ratis.health;

import io.quorate.ratis.read.ConfirmedReads.Follower;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * Which follower is to take over from a leader that cannot lead: the one with the most of the log
 * among those that respond, another one if it did not take over. Pure: time comes in as a number.
 * Not thread-safe.
 */
final class Succession {
  private final Duration heardLately;
  private final Duration patience;
  private final Duration pause;
  private final Map<RaftPeerId, Integer> requests = new HashMap<>();

  /** Whether {@link #earliestNanos} means anything. */
  private boolean isWaiting;

  private long earliestNanos;

  /**
   * @param heardLately a follower that has been silent for longer is taken to be away
   * @param patience how long a follower has to respond before the next one is requested
   * @param pause how long after a refusal the next one is requested
   */
  Succession(Duration heardLately, Duration patience, Duration pause) {
    this.heardLately = heardLately;
    this.patience = patience;
    this.pause = pause;
  }

  /**
   * The follower to be requested now; empty while another one has its time, or where none is fit.
   */
  Optional<Follower> next(List<Follower> followers, long nowNanos) {
    if (isWaiting && nowNanos - earliestNanos < 0) {
      return Optional.empty();
    }
    Optional<Follower> next =
        followers.stream()
            .filter(follower -> follower.silent().compareTo(heardLately) <= 0)
            .min(
                Comparator.comparingInt(this::requests)
                    .thenComparing(Comparator.comparingLong(Follower::matchIndex).reversed()));
    if (next.isPresent()) {
      requests.merge(next.get().id(), 1, Integer::sum);
      waitFor(patience, nowNanos);
    }
    return next;
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
    isWaiting = false;
  }
}
