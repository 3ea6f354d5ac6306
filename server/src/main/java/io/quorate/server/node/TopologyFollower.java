package io.quorate.server.node;

import io.quorate.common.LogLimit;
import io.quorate.server.node.join.NodeRegistration;
import io.quorate.server.node.replicas.RegionPlans;
import io.quorate.server.node.replicas.ReplicaManager;
import io.quorate.server.placement.PlacementService;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologySource;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out this node's part of the stored topology, from the time when the node serves: opens
 * and removes its replicas, carries out plans where it serves, and makes them where it serves
 * region 0. Repeats that every second, more often while something is planned, and when it is woken,
 * on a thread of its own, because it may wait for other nodes and for the disk.
 */
final class TopologyFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TopologyFollower.class);
  private static final long PAUSE_MILLIS = 1000;
  private static final long PAUSE_WHILE_PLANNED_MILLIS = 200;

  private final LogLimit failing = LogLimit.oneAMinute();
  private final TopologySource source;
  private final ClusterTopology topology;
  private final ReplicaManager replicas;
  private final RegionPlans plans;
  private final PlacementService placement;
  private final NodeRegistration registration;
  private final Wake wake;
  private final Thread thread = new Thread(this::run, "quorate-topology");

  /**
   * @param source used by the thread alone once it is started
   * @param wake raised when this node has something to do, and closed by this object
   */
  TopologyFollower(
      TopologySource source,
      ClusterTopology topology,
      ReplicaManager replicas,
      RegionPlans plans,
      PlacementService placement,
      NodeRegistration registration,
      Wake wake) {
    this.source = source;
    this.topology = topology;
    this.replicas = replicas;
    this.plans = plans;
    this.placement = placement;
    this.registration = registration;
    this.wake = wake;
    thread.setDaemon(true);
  }

  /** Has no effect after {@link #close}. */
  synchronized void start() {
    if (!wake.isClosed()) {
      thread.start();
    }
  }

  /** Blocks until the thread has ended, which a removal of a replica may delay. */
  @Override
  public void close() {
    synchronized (this) {
      wake.close();
    }
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (wake.await(pauseMillis())) {
        try {
          follow();
        } catch (IOException e) {
          failing.log(
              leftOut -> LOG.atWarn().addKeyValue("reason", e.getMessage()).log(text(leftOut)));
        } catch (RuntimeException e) {
          failing.log(leftOut -> LOG.atWarn().setCause(e).log(text(leftOut)));
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("The node closes and does not follow the topology any more");
    }
  }

  private static String text(long leftOut) {
    return "This node does not follow the topology; the next attempt is in a second"
        + LogLimit.text(leftOut);
  }

  private long pauseMillis() {
    boolean planned =
        topology.stored().stream()
            .flatMap(stored -> stored.assignments().stream())
            .anyMatch(region -> !region.isStable());
    return planned ? PAUSE_WHILE_PLANNED_MILLIS : PAUSE_MILLIS;
  }

  private void follow() throws IOException, InterruptedException {
    source.look().ifPresent(topology::learn);
    Optional<StoredTopology> stored = topology.stored();
    Optional<IOException> failure = Optional.empty();
    if (stored.isPresent()) {
      failure = followed(stored.get());
      registration.run(stored.get());
    }
    plans.run();
    placement.run();
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  /** A replica that does not open or cannot be removed here stops nothing for the others. */
  private Optional<IOException> followed(StoredTopology stored) {
    try {
      replicas.follow(stored);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e);
    }
  }
}
