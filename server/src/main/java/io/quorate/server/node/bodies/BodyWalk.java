package io.quorate.server.node.bodies;

import io.quorate.common.Pace;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.BodyReplication.Condition;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.storage.RegionStore;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One walk over the bodies to which the rows of this node refer, region by region and in the order
 * of keys. Restores those that are due, a few at a time. Used once, by one thread, which it blocks.
 */
final class BodyWalk {
  private static final Logger LOG = LoggerFactory.getLogger(BodyWalk.class);

  private static final int IN_FLIGHT_MAX = 4;

  /**
   * What a walk found.
   *
   * @param bodies the number of bodies to which rows refer
   * @param due the number of those that were to be restored or verified
   * @param restored the number of those that were missing or damaged, and are durable now
   * @param damaged the number of those that were damaged
   * @param failed the number of those that could not be restored
   * @param regionsSkipped the number of regions that could not be read to the end
   * @param regions what was found of each of the other regions that have bodies
   * @param readNanos the time spent on reading rows
   */
  record Outcome(
      long bodies,
      long due,
      long restored,
      long damaged,
      long failed,
      int regionsSkipped,
      Map<GroupId, BodyTally> regions,
      long readNanos) {
    Outcome {
      regions = Map.copyOf(regions);
    }

    /** The number of bodies of which this node held nothing. */
    long missing() {
      return regions.values().stream().mapToLong(BodyTally::missing).sum();
    }

    /** Whether the walk covered all regions, and every body that was due is intact now. */
    boolean isClean() {
      return failed == 0 && regionsSkipped == 0;
    }
  }

  /** A body of a region that is being verified, and restored if it is not intact. */
  private record Restoration(GroupId region, CompletableFuture<Condition> condition) {}

  private final Predicate<BodyId> isDue;
  private final Pace pace;
  private final MetricsSink.Counter restoredCounter;
  private final MetricsSink.Counter damagedCounter;
  private final Deque<Restoration> inFlight = new ArrayDeque<>();
  private final Map<GroupId, BodyTally> tallies = new HashMap<>();
  private long bodies;
  private long due;
  private long restored;
  private long damaged;
  private long failed;
  private int regionsSkipped;
  private long readNanos;

  /**
   * @param isDue whether a body to which a row refers is to be verified, and restored if it is not
   *     intact
   * @param restoredCounter counts the restored bodies at once
   * @param damagedCounter counts those that were damaged at once
   */
  BodyWalk(
      Predicate<BodyId> isDue,
      Pace pace,
      MetricsSink.Counter restoredCounter,
      MetricsSink.Counter damagedCounter) {
    this.isDue = isDue;
    this.pace = pace;
    this.restoredCounter = restoredCounter;
    this.damagedCounter = damagedCounter;
  }

  /**
   * Walks over all regions that have bodies. A region that cannot be read now is skipped.
   *
   * @throws InterruptedException if the thread is interrupted; restorations in progress continue
   */
  Outcome run(Collection<LocalReplica> regions) throws InterruptedException {
    for (LocalReplica region : regions) {
      Optional<BodyReplication> replication = region.bodies();
      boolean hasUserData = !region.assignment().id().equals(RegionAssignment.METADATA);
      if (replication.isPresent() && hasUserData) {
        walk(region.store(), replication.get());
      }
    }
    while (!inFlight.isEmpty()) {
      awaitFirst();
    }
    return new Outcome(bodies, due, restored, damaged, failed, regionsSkipped, tallies, readNanos);
  }

  private void walk(RegionStore region, BodyReplication replication) throws InterruptedException {
    tallies.put(region.group(), BodyTally.NONE);
    try {
      readNanos +=
          BodyReferences.visitAll(region, (key, body) -> visit(region.group(), body, replication))
              .readNanos();
    } catch (UncheckedIOException e) {
      LOG.atDebug()
          .addKeyValue("region", region.group())
          .addKeyValue("reason", e.getMessage())
          .log("The references of a region cannot be read now");
      regionsSkipped++;
      tallies.remove(region.group());
    }
  }

  private void visit(GroupId region, BodyReference reference, BodyReplication replication)
      throws InterruptedException {
    bodies++;
    tallies.computeIfPresent(region, (same, tally) -> tally.with(replication.held(reference)));
    if (!isDue.test(reference.in(region))) {
      return;
    }
    due++;
    TimeUnit.NANOSECONDS.sleep(pace.reserve(reference.length(), System.nanoTime()));
    if (inFlight.size() == IN_FLIGHT_MAX) {
      awaitFirst();
    }
    inFlight.add(new Restoration(region, replication.restore(reference).toCompletableFuture()));
  }

  private void awaitFirst() throws InterruptedException {
    Restoration first = inFlight.remove();
    try {
      count(first.condition().get());
    } catch (ExecutionException e) {
      failed++;
      tallies.computeIfPresent(first.region(), (same, tally) -> tally.withFailed());
      LOG.atDebug()
          .addKeyValue("reason", e.getCause().getMessage())
          .log("A body was not restored; a later walk retries");
    }
  }

  private void count(Condition before) {
    switch (before) {
      case INTACT -> {
        return;
      }
      case MISSING -> {}
      case DAMAGED -> {
        damaged++;
        damagedCounter.add(1);
      }
    }
    restored++;
    restoredCounter.add(1);
  }
}
