package io.quorate.server.node.monitor;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when a replica has committed entries to apply and its applied position does not advance for
 * some time, and when it advances again. Run every second, by one thread.
 */
public final class ApplyWatch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ApplyWatch.class);
  private static final Duration STALL_TIME_MIN = Duration.ofSeconds(5);

  /** The last observed progress of one replica. */
  private record Progress(Position applied, long sinceNanos, boolean isReported) {}

  /** A change that is logged. */
  public enum Change {
    STANDS_STILL,
    GOES_ON
  }

  private final ClusterTopology topology;
  private final LongSupplier nanoTime;
  private final Map<GroupId, Progress> replicas = new HashMap<>();

  public ApplyWatch(ClusterTopology topology, LongSupplier nanoTime) {
    this.topology = topology;
    this.nanoTime = nanoTime;
  }

  @Override
  public void run() {
    for (LocalReplica region : topology.hosted()) {
      GroupId id = region.assignment().id();
      Position applied = region.store().applied();
      long unapplied = region.store().unapplied();
      observe(id, applied, unapplied).ifPresent(change -> log(change, id, applied, unapplied));
    }
  }

  private static void log(Change change, GroupId id, Position applied, long unapplied) {
    if (change == Change.STANDS_STILL) {
      LOG.atWarn()
          .addKeyValue("region", id)
          .addKeyValue("applied", applied)
          .addKeyValue("unapplied", unapplied)
          .log("Nothing is applied: the disk is slow, or RocksDB refuses writes");
    } else {
      LOG.atInfo()
          .addKeyValue("region", id)
          .addKeyValue("applied", applied)
          .log("Applying resumed");
    }
  }

  public Optional<Change> observe(GroupId id, Position applied, long unapplied) {
    long now = nanoTime.getAsLong();
    Progress previous = replicas.get(id);
    if (previous == null || !previous.applied().equals(applied) || unapplied == 0) {
      replicas.put(id, new Progress(applied, now, false));
      return previous != null && previous.isReported()
          ? Optional.of(Change.GOES_ON)
          : Optional.empty();
    }
    if (!previous.isReported() && now - previous.sinceNanos() >= STALL_TIME_MIN.toNanos()) {
      replicas.put(id, new Progress(applied, previous.sinceNanos(), true));
      return Optional.of(Change.STANDS_STILL);
    }
    return Optional.empty();
  }
}
