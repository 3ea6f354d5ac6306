package io.quorate.ratis.health;

import io.quorate.ratis.read.Followers.Follower;
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
 * Selects the follower that takes over from a leader that cannot lead: the responding one with the
 * highest match index, and another one if it did not take over. Pure: time is a parameter. Not
 * thread-safe.
 */
final class Succession {
  private final Duration maxSilence;
  private final Duration catchUp;
  private final Duration responseTimeout;
  private final Duration pause;
  private final Map<RaftPeerId, Integer> requests = new HashMap<>();

  /** The time since which a follower is to be requested; empty if none is. */
  private OptionalLong sinceNanos = OptionalLong.empty();

  /** Whether {@link #nextRequestNanos} is valid. */
  private boolean isWaiting;

  private long nextRequestNanos;

  /**
   * @param maxSilence a follower that has been silent for longer counts as unreachable
   * @param catchUp the maximum time to wait for a follower that has the whole log. A follower that
   *     lacks an entry that another one has loses its election, and the next election begins only
   *     after an election timeout.
   * @param responseTimeout how long a follower has to respond before the next one is requested
   * @param pause how long after a refusal the next one is requested
   */
  Succession(Duration maxSilence, Duration catchUp, Duration responseTimeout, Duration pause) {
    this.maxSilence = maxSilence;
    this.catchUp = catchUp;
    this.responseTimeout = responseTimeout;
    this.pause = pause;
  }

  /**
   * The follower to be requested now; empty while another follower still has time to respond, if
   * none is responsive, or while one may still catch up.
   *
   * @param lastIndex the last index of the leader's log
   */
  Optional<Follower> next(List<Follower> followers, long lastIndex, long nowNanos) {
    if (isWaiting && nowNanos - nextRequestNanos < 0) {
      return Optional.empty();
    }
    if (sinceNanos.isEmpty()) {
      sinceNanos = OptionalLong.of(nowNanos);
    }
    boolean mayCatchUp = nowNanos - sinceNanos.getAsLong() < catchUp.toNanos();
    Optional<Follower> next =
        responsive(followers)
            .min(
                Comparator.comparingInt(this::requests)
                    .thenComparing(Comparator.comparingLong(Follower::matchIndex).reversed()));
    if (mayCatchUp && next.filter(follower -> follower.matchIndex() >= lastIndex).isEmpty()) {
      return Optional.empty();
    }
    if (next.isPresent()) {
      requests.merge(next.get().id(), 1, Integer::sum);
      waitFor(responseTimeout, nowNanos);
    }
    return next;
  }

  /**
   * Whether a responsive follower has not been requested, or a requested one still has time to
   * respond.
   */
  boolean isFirstRound(List<Follower> followers, long nowNanos) {
    boolean hasTimeToRespond = isWaiting && nowNanos - nextRequestNanos < 0;
    return hasTimeToRespond || responsive(followers).anyMatch(follower -> requests(follower) == 0);
  }

  /** Whether those of the followers that respond are a majority of the group without its leader. */
  boolean areMajority(List<Follower> followers) {
    int members = followers.size() + 1;
    return responsive(followers).count() > members / 2;
  }

  private Stream<Follower> responsive(List<Follower> followers) {
    return followers.stream().filter(follower -> follower.silent().compareTo(maxSilence) <= 0);
  }

  private int requests(Follower follower) {
    return requests.getOrDefault(follower.id(), 0);
  }

  /** Records that the follower that was requested last has refused. */
  void refused(long nowNanos) {
    waitFor(pause, nowNanos);
  }

  private void waitFor(Duration time, long nowNanos) {
    isWaiting = true;
    nextRequestNanos = nowNanos + time.toNanos();
  }

  /** Ends the transfer. */
  void reset() {
    requests.clear();
    sinceNanos = OptionalLong.empty();
    isWaiting = false;
  }
}
