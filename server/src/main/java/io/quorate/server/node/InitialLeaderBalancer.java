package io.quorate.server.node;

import io.quorate.common.Failures;
import io.quorate.consensus.Leadership;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transfers leadership to the preferred leaders of the topology, so that the first nodes to start
 * do not lead every region. Each region once: if this node leads it when it first observes a
 * leader. Later, leadership stays where operators and failures have put it. Run every second, by
 * one thread.
 */
final class InitialLeaderBalancer implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(InitialLeaderBalancer.class);
  private static final Duration ACTIVE = Duration.ofMinutes(1);

  /**
   * Writes to the region wait during a transfer, and for all of this time if the target stops at
   * that moment. A successful election takes far less; a failed transfer is retried.
   */
  private static final Duration TRANSFER_TIMEOUT = Duration.ofMillis(500);

  private enum State {
    /** No leader has been observed. */
    UNKNOWN,
    /** A transfer has failed, or has to wait; it is retried if this node still leads. */
    TO_TRANSFER,
    /** A transfer to the preferred leader is in progress. */
    TRANSFERRING,
    /** Final: no transfer is necessary any more. */
    SETTLED
  }

  private final ClusterTopology topology;
  private final ServingState servingState;
  private final Predicate<NodeId> isWritable;
  private final LongSupplier nanoClock;
  private final long startedNanos;
  private final Map<GroupId, State> states = new ConcurrentHashMap<>();

  /**
   * @param isWritable whether a node accepts writes, so that it may lead; must not block
   * @param nanoClock as {@link System#nanoTime}
   */
  InitialLeaderBalancer(
      ClusterTopology topology,
      ServingState servingState,
      Predicate<NodeId> isWritable,
      LongSupplier nanoClock) {
    this.topology = topology;
    this.servingState = servingState;
    this.isWritable = isWritable;
    this.nanoClock = nanoClock;
    this.startedNanos = nanoClock.getAsLong();
  }

  @Override
  public void run() {
    boolean active = nanoClock.getAsLong() - startedNanos < ACTIVE.toNanos();
    if (active && servingState.phase() != ServingState.Phase.STOPPING) {
      topology.hosted().forEach(this::balance);
    }
  }

  private void balance(LocalReplica region) {
    GroupId id = region.assignment().id();
    NodeId preferred = region.assignment().preferredLeader();
    Optional<NodeId> leader = region.group().view().leader();
    State state = states.getOrDefault(id, State.UNKNOWN);
    if (leader.isEmpty() || state == State.TRANSFERRING || state == State.SETTLED) {
      return;
    }
    if (leader.get().equals(topology.self()) && !preferred.equals(topology.self())) {
      if (!isWritable.test(preferred)) {
        states.put(id, State.TO_TRANSFER);
        return;
      }
      states.put(id, State.TRANSFERRING);
      region
          .group()
          .control(Leadership.class)
          .ifPresent(leadership -> transfer(id, leadership, preferred));
    } else {
      states.put(id, State.SETTLED);
    }
  }

  private void transfer(GroupId region, Leadership leadership, NodeId preferred) {
    leadership
        .transferTo(preferred, TRANSFER_TIMEOUT)
        .whenComplete(
            (done, failure) -> {
              states.put(region, failure == null ? State.SETTLED : State.TO_TRANSFER);
              LOG.atDebug()
                  .addKeyValue("region", region)
                  .addKeyValue("target", preferred)
                  .addKeyValue(
                      "outcome", failure == null ? "done" : Failures.unwrap(failure).getMessage())
                  .log("Transferring leadership to the preferred leader");
            });
  }
}
