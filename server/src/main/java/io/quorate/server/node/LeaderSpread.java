package io.quorate.server.node;

import io.quorate.consensus.Failures;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.NodeId;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.HostedRegion;
import io.quorate.server.door.ServiceGate;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands leadership to the nodes that the map prefers, so that the first nodes to start do not lead
 * everything. Each region once: where this node leads it when it first hears of a leader. Later on,
 * leadership is where operators and failures have put it. Run every second, by one thread.
 */
final class LeaderSpread implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderSpread.class);
  private static final Duration ACTIVE = Duration.ofMinutes(1);

  /**
   * Writes to the region wait meanwhile, and where the other node ends at that moment they wait for
   * all of it. An election that goes well takes far less; what fails is tried again.
   */
  private static final Duration TRANSFER_TIMEOUT = Duration.ofMillis(500);

  private enum State {
    /** No leader has been heard of. */
    UNKNOWN,
    /** This node leads and is not the one that should. */
    TO_HAND_OVER,
    /** Whether the other one takes over is not known yet. */
    HANDING_OVER,
    /** Nothing is left to do, whatever comes. */
    SETTLED
  }

  private final ClusterMap map;
  private final ServiceGate gate;
  private final LongSupplier nanoClock;
  private final long startedNanos;
  private final Map<GroupId, State> states = new ConcurrentHashMap<>();

  /**
   * @param nanoClock as {@link System#nanoTime}
   */
  LeaderSpread(ClusterMap map, ServiceGate gate, LongSupplier nanoClock) {
    this.map = map;
    this.gate = gate;
    this.nanoClock = nanoClock;
    this.startedNanos = nanoClock.getAsLong();
  }

  @Override
  public void run() {
    boolean active = nanoClock.getAsLong() - startedNanos < ACTIVE.toNanos();
    if (active && gate.phase() != ServiceGate.Phase.STOPPING) {
      map.hosted().forEach(this::look);
    }
  }

  private void look(HostedRegion region) {
    GroupId id = region.descriptor().id();
    NodeId preferred = region.descriptor().preferredLeader();
    Optional<NodeId> leader = region.group().view().leader();
    State state = states.getOrDefault(id, State.UNKNOWN);
    if (leader.isEmpty() || state == State.HANDING_OVER || state == State.SETTLED) {
      return;
    }
    if (leader.get().equals(map.self()) && !preferred.equals(map.self())) {
      states.put(id, State.HANDING_OVER);
      region
          .group()
          .control(Leadership.class)
          .ifPresent(leadership -> hand(id, leadership, preferred));
    } else {
      states.put(id, State.SETTLED);
    }
  }

  private void hand(GroupId region, Leadership leadership, NodeId preferred) {
    leadership
        .transferTo(preferred, TRANSFER_TIMEOUT)
        .whenComplete(
            (done, failure) -> {
              states.put(region, failure == null ? State.SETTLED : State.TO_HAND_OVER);
              LOG.atDebug()
                  .addKeyValue("region", region)
                  .addKeyValue("target", preferred)
                  .addKeyValue(
                      "outcome", failure == null ? "done" : Failures.unwrap(failure).getMessage())
                  .log("Spreading leadership");
            });
  }
}
