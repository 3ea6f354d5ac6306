package io.quorate.server.digest;

import io.quorate.common.Failures;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.operation.RegionDigest;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests a digest of each region at an interval, from the node that leads the region, or, in a
 * cluster without leaders, the first of its members by name. Regions begin at random times in the
 * interval, so that their digests do not coincide. Run by one thread, which may wait for the disk.
 */
public final class DigestSchedule implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(DigestSchedule.class);

  private final ClusterTopology topology;
  private final long intervalNanos;
  private final LongSupplier nanoClock;
  private final SecureRandom random = new SecureRandom();

  /** What was seen of a region: its newest digest, and when the next one is due. */
  private record Due(Optional<Position> newest, long atNanos) {}

  private final Map<GroupId, Due> due = new HashMap<>();

  /**
   * @param nanoClock as {@link System#nanoTime}
   */
  public DigestSchedule(ClusterTopology topology, Duration interval, LongSupplier nanoClock) {
    this.topology = topology;
    this.intervalNanos = interval.toNanos();
    this.nanoClock = nanoClock;
  }

  @Override
  public void run() {
    due.keySet().removeIf(region -> topology.hosted(region).isEmpty());
    long now = nanoClock.getAsLong();
    for (LocalReplica region : topology.hosted()) {
      GroupId id = region.assignment().id();
      Optional<Position> newest = region.store().digest().map(RegionDigest::position);
      Due known =
          due.computeIfAbsent(
              id, absent -> new Due(newest, now + (long) (random.nextDouble() * intervalNanos)));
      if (!known.newest().equals(newest)) {
        // Whoever has requested it.
        known = new Due(newest, now + intervalNanos);
        due.put(id, known);
      }
      if (now - known.atNanos() >= 0 && requests(region.group().view())) {
        due.put(id, new Due(newest, now + intervalNanos));
        request(region);
      }
    }
  }

  private boolean requests(GroupStatus view) {
    boolean isFirst =
        view.members().stream()
            .map(member -> member.node().value())
            .min(String::compareTo)
            .map(NodeId::new)
            .equals(Optional.of(topology.self()));
    return view.serving() && (topology.service().leadersOnly() || isFirst);
  }

  private static void request(LocalReplica region) {
    region
        .proposeDigest()
        .whenComplete(
            (position, failure) -> {
              if (failure != null) {
                LOG.atInfo()
                    .addKeyValue("region", region.assignment().id())
                    .addKeyValue("error", Failures.unwrap(failure).getMessage())
                    .log("The replicas of a region are not compared now");
              }
            });
  }
}
