package io.quorate.server.node;

import io.quorate.common.Failures;
import io.quorate.consensus.Command;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Expires the sessions of clients that have been inactive for the configured time. Run every
 * minute, by a thread of its own, which may wait for the disk; proposes only for replicas that
 * serve. What the replicas had applied at what time outlives the process, so that sessions expire
 * also where nodes restart more often than that; a time for which the node does not run does not
 * count. Sessions of a region in which nothing else happens are not expired again until it is used:
 * otherwise it would be in use for that alone.
 *
 * <p>With leaders, one replica of a region proposes; without leaders, every replica does. The
 * latter is safe: expiry depends on positions alone, so that of several such commands the one with
 * the highest position decides, whatever their order, and each contains a position that its own
 * node had applied long enough ago. It costs one short command per minute and replica, which is
 * less than an agreement on one proposer.
 */
final class SessionExpiry implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SessionExpiry.class);

  private final ClusterTopology topology;
  private final Duration expiry;
  private final LongSupplier nanoClock;
  private final HistoryFile file;
  private final Map<GroupId, AppliedHistory> histories = new TreeMap<>();

  /** Regions that this process has hosted: those of the file may not be open yet. */
  private final Set<GroupId> seen = new HashSet<>();

  /** What {@link #nanoClock} returned when the node had run for no time yet. */
  private final long originNanos;

  /** The positions at which sessions were expired last. */
  private final Map<GroupId, Position> expired = new ConcurrentHashMap<>();

  /**
   * Reads what a former process has written.
   *
   * @param directory where it is, and is written
   * @param nanoClock as {@link System#nanoTime}
   */
  SessionExpiry(ClusterTopology topology, Duration expiry, Path directory, LongSupplier nanoClock) {
    this.topology = topology;
    this.expiry = expiry;
    this.nanoClock = nanoClock;
    this.file = new HistoryFile(directory);
    HistoryFile.Content former = file.read();
    this.originNanos = nanoClock.getAsLong() - former.ranNanos();
    former
        .samples()
        .forEach((region, samples) -> histories.put(region, new AppliedHistory(expiry, samples)));
  }

  @Override
  public void run() {
    long now = nanoClock.getAsLong() - originNanos;
    boolean changed =
        histories
            .keySet()
            .removeIf(region -> seen.contains(region) && topology.hosted(region).isEmpty());
    expired.keySet().removeIf(region -> topology.hosted(region).isEmpty());
    for (LocalReplica region : topology.hosted()) {
      GroupId id = region.assignment().id();
      seen.add(id);
      AppliedHistory history = histories.computeIfAbsent(id, any -> new AppliedHistory(expiry));
      changed |= history.add(now, region.store().applied());
      Optional<Position> before = history.before(now);
      if (before.isPresent()
          && region.store().sessionCount() > 0
          && !region.store().applied().equals(expired.get(id))
          && region.group().view().serving()) {
        propose(region, before.get());
      }
    }
    if (changed) {
      Map<GroupId, List<AppliedHistory.Sample>> samples = new TreeMap<>();
      histories.forEach((region, history) -> samples.put(region, history.samples()));
      file.write(new HistoryFile.Content(now, samples));
    }
  }

  private void propose(LocalReplica region, Position last) {
    // A session whose last activity is at exactly this position has been inactive since then, too.
    Position before = new Position(last.epoch(), last.index() + 1);
    Operation operation = new Operation.ExpireSessions(before);
    region
        .group()
        .propose(new Command(new ClientCommand(RequestId.NONE, operation).encoded()))
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                expired.put(region.assignment().id(), outcome.position());
              } else {
                LOG.atInfo()
                    .addKeyValue("region", region.assignment().id())
                    .addKeyValue("error", Failures.unwrap(failure).getMessage())
                    .log("Inactive sessions were not expired; the next attempt is in a minute");
              }
            });
  }
}
