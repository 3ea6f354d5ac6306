package io.quorate.server.digest;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RegionDigest;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests a digest of each region at an interval, whichever replica serves it; a region that
 * hibernates wakes. Each member has a random time for it, within the first hour after its start and
 * then in the tenth of the interval after the interval, and gives it up when it sees the digest
 * that another one has requested first. One thread; does not block.
 */
public final class DigestSchedule implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(DigestSchedule.class);

  private static final long FIRST_NANOS_MAX = Duration.ofHours(1).toNanos();

  /**
   * A region that did not serve is tried again, such as one that hibernates: the request wakes it
   * and fails, and the next one has to come before it hibernates again.
   */
  private static final long RETRY_NANOS_MAX = Duration.ofMinutes(1).toNanos();

  private static final int RETRIES_PER_INTERVAL = 10;

  private final ClusterTopology topology;
  private final AsyncQuorateClient client;
  private final long intervalNanos;
  private final LongSupplier nanoClock;
  private final SecureRandom random = new SecureRandom();

  /** What was seen of a region: its newest digest, and when the next one is due. */
  private record Due(Optional<Position> newest, long atNanos) {}

  private final Map<GroupId, Due> due = new ConcurrentHashMap<>();

  /**
   * @param nanoClock as {@link System#nanoTime}
   */
  public DigestSchedule(
      ClusterTopology topology,
      AsyncQuorateClient client,
      Duration interval,
      LongSupplier nanoClock) {
    this.topology = topology;
    this.client = client;
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
              id, absent -> new Due(newest, now + upTo(Math.min(intervalNanos, FIRST_NANOS_MAX))));
      if (!known.newest().equals(newest) || region.store().digestProgress().isPresent()) {
        // Whoever has requested it.
        known = next(newest, now);
        due.put(id, known);
      }
      if (now - known.atNanos() >= 0) {
        // Also if this node then has no digest, because too many wait.
        due.put(id, next(newest, now));
        request(id, newest);
      }
    }
  }

  private Due next(Optional<Position> newest, long now) {
    return new Due(newest, now + intervalNanos + upTo(intervalNanos / 10));
  }

  private long upTo(long nanos) {
    return (long) (random.nextDouble() * nanos);
  }

  private void request(GroupId region, Optional<Position> newest) {
    client
        .regions()
        .verify(region)
        .whenComplete(
            (position, failure) -> {
              if (failure != null) {
                long retry =
                    nanoClock.getAsLong()
                        + Math.min(intervalNanos / RETRIES_PER_INTERVAL, RETRY_NANOS_MAX);
                due.put(region, new Due(newest, retry));
                LOG.debug("The replicas of region {} are not compared now", region, failure);
              }
            });
  }
}
