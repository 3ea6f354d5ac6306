package io.quorate.server.node;

import io.quorate.common.Failures;
import io.quorate.consensus.Command;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Position;
import io.quorate.operation.ClientCommand;
import io.quorate.operation.Operation;
import io.quorate.operation.RequestId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Expires the sessions of clients that have been inactive for the configured time. Run every
 * minute, by one thread; proposes only for replicas that serve. Sessions of a region in which
 * nothing else happens are not expired again until it is used: otherwise it would be in use for
 * that alone.
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
  private final Map<GroupId, AppliedHistory> histories = new HashMap<>();

  /** The positions at which sessions were expired last. */
  private final Map<GroupId, Position> expired = new ConcurrentHashMap<>();

  /**
   * @param nanoClock as {@link System#nanoTime}
   */
  SessionExpiry(ClusterTopology topology, Duration expiry, LongSupplier nanoClock) {
    this.topology = topology;
    this.expiry = expiry;
    this.nanoClock = nanoClock;
  }

  @Override
  public void run() {
    long now = nanoClock.getAsLong();
    histories.keySet().removeIf(region -> topology.hosted(region).isEmpty());
    expired.keySet().removeIf(region -> topology.hosted(region).isEmpty());
    for (LocalReplica region : topology.hosted()) {
      GroupId id = region.assignment().id();
      AppliedHistory history = histories.computeIfAbsent(id, any -> new AppliedHistory(expiry));
      history.add(now, region.store().applied());
      Optional<Position> before = history.before(now);
      if (before.isPresent()
          && region.store().sessionCount() > 0
          && !region.store().applied().equals(expired.get(id))
          && region.group().view().serving()) {
        propose(region, before.get());
      }
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
