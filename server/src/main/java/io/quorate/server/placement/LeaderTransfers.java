package io.quorate.server.placement;

import io.quorate.common.Backoff;
import io.quorate.common.Failures;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The transfers of leadership that placement has begun. A region whose leadership was transferred
 * keeps its leader for a while, so that two reasons cannot move it to and fro; not if the device of
 * that leader becomes slow. Any thread; does not block. Holds one entry for each region at most.
 */
final class LeaderTransfers {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * After a failure, such as a replica that lags, the next attempt may succeed soon; after many,
   * such as a replica that does not follow its leader, it hardly will.
   */
  private static final Backoff AFTER_FAILURES =
      new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1));

  /** Failures are counted until there is no other one for so long. */
  private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(2);

  /**
   * A transfer.
   *
   * @param isUnderWay whether it has not ended
   * @param freeNanos when the region may be transferred again, once it has ended
   * @param failures how many transfers of the region have failed in a row
   */
  private record State(boolean isUnderWay, long freeNanos, int failures) {}

  /** Transfers the leadership of a region to a node. */
  @FunctionalInterface
  public interface Request {
    CompletionStage<Void> transfer(GroupId region, NodeId to);
  }

  private final Request request;
  private final DecisionLog decisions;
  private final LongSupplier nanoClock;
  private final Map<GroupId, State> states = new ConcurrentHashMap<>();

  LeaderTransfers(Request request, DecisionLog decisions, LongSupplier nanoClock) {
    this.request = request;
    this.decisions = decisions;
    this.nanoClock = nanoClock;
  }

  boolean areUnderWay() {
    return underWay() > 0;
  }

  int underWay() {
    return (int) states.values().stream().filter(State::isUnderWay).count();
  }

  /** The regions whose leadership is being transferred, or was not long ago. */
  Set<GroupId> busy(ClusterPicture picture) {
    long now = nanoClock.getAsLong();
    states
        .values()
        .removeIf(state -> !state.isUnderWay() && now - state.freeNanos() >= REMEMBERED_NANOS);
    Set<GroupId> busy = new HashSet<>();
    states.forEach(
        (region, state) -> {
          boolean isSlow =
              Optional.ofNullable(picture.leaders().get(region))
                  .filter(leader -> picture.device(leader).isSlow())
                  .isPresent();
          boolean isPausing = state.freeNanos() - now > 0 && !isSlow;
          if (state.isUnderWay() || isPausing) {
            busy.add(region);
          }
        });
    return busy;
  }

  void start(Transfer transfer) {
    State before = states.getOrDefault(transfer.region(), new State(false, 0, 0));
    if (before.isUnderWay()) {
      return;
    }
    states.put(transfer.region(), new State(true, 0, before.failures()));
    decisions.record(PlacementEvent.planned(transfer));
    request
        .transfer(transfer.region(), transfer.to())
        .whenComplete(
            (done, failure) -> {
              long now = nanoClock.getAsLong();
              states.put(
                  transfer.region(),
                  failure == null
                      ? new State(false, now + PAUSE_NANOS, 0)
                      : new State(
                          false,
                          now + AFTER_FAILURES.nanos(before.failures()),
                          before.failures() + 1));
              decisions.ended(
                  transfer,
                  Optional.ofNullable(failure).map(cause -> Failures.unwrap(cause).getMessage()));
            });
  }
}
