package io.quorate.server.node;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Position;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.HostedRegion;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when a replica has something to apply and applies nothing for a while, and when it goes on.
 * Run every second, by one thread.
 */
final class ApplyWatch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ApplyWatch.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** What is known of one replica. */
  private record Progress(Position applied, long sinceNanos, boolean isReported) {}

  /** What is to be logged of one. */
  enum Change {
    STANDS_STILL,
    GOES_ON
  }

  private final ClusterMap map;
  private final LongSupplier nanoTime;
  private final Map<GroupId, Progress> replicas = new HashMap<>();

  ApplyWatch(ClusterMap map, LongSupplier nanoTime) {
    this.map = map;
    this.nanoTime = nanoTime;
  }

  @Override
  public void run() {
    for (HostedRegion region : map.hosted()) {
      GroupId id = region.descriptor().id();
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
          .log("Applying goes on");
    }
  }

  Optional<Change> observe(GroupId id, Position applied, long unapplied) {
    long now = nanoTime.getAsLong();
    Progress before = replicas.get(id);
    if (before == null || !before.applied().equals(applied) || unapplied == 0) {
      replicas.put(id, new Progress(applied, now, false));
      return before != null && before.isReported() ? Optional.of(Change.GOES_ON) : Optional.empty();
    }
    if (!before.isReported() && now - before.sinceNanos() >= PATIENCE.toNanos()) {
      replicas.put(id, new Progress(applied, before.sinceNanos(), true));
      return Optional.of(Change.STANDS_STILL);
    }
    return Optional.empty();
  }
}
