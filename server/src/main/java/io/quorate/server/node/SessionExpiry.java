package io.quorate.server.node;

import io.quorate.consensus.Command;
import io.quorate.consensus.Failures;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Position;
import io.quorate.operation.Operation;
import io.quorate.operation.RequestTag;
import io.quorate.operation.TaggedOperation;
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
 * Has the sessions forgotten of clients that have long been silent. Run every minute, by one
 * thread; proposes only where this node serves.
 *
 * <p>That is once a region where there are leaders, and at every replica where there are none. The
 * latter does no harm: what is forgotten is a matter of positions alone, so that of several such
 * commands the one with the highest position decides, whatever their order, and each names a
 * position that its own node had applied long enough ago. It costs a short command a minute and
 * replica, which is less than agreeing on who is to send it.
 */
final class SessionExpiry implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SessionExpiry.class);

  private final ClusterMap map;
  private final Duration expiry;
  private final LongSupplier nanoClock;
  private final Map<GroupId, PositionSamples> samples = new HashMap<>();

  /**
   * @param nanoClock as {@link System#nanoTime}
   */
  SessionExpiry(ClusterMap map, Duration expiry, LongSupplier nanoClock) {
    this.map = map;
    this.expiry = expiry;
    this.nanoClock = nanoClock;
  }

  @Override
  public void run() {
    long now = nanoClock.getAsLong();
    for (HostedRegion region : map.hosted()) {
      GroupId id = region.descriptor().id();
      PositionSamples known = samples.computeIfAbsent(id, any -> new PositionSamples(expiry));
      known.add(now, region.store().applied());
      Optional<Position> before = known.before(now);
      if (before.isPresent()
          && region.store().sessionCount() > 0
          && region.group().view().serving()) {
        propose(region, before.get());
      }
    }
  }

  private void propose(HostedRegion region, Position last) {
    // What was active at that very position has been silent since, too.
    Position before = new Position(last.epoch(), last.index() + 1);
    Operation operation = new Operation.ExpireSessions(before);
    region
        .group()
        .propose(new Command(new TaggedOperation(RequestTag.NONE, operation).encoded()))
        .whenComplete(
            (outcome, failure) -> {
              if (failure != null) {
                LOG.atInfo()
                    .addKeyValue("region", region.descriptor().id())
                    .addKeyValue("error", Failures.unwrap(failure).getMessage())
                    .log("Old sessions were not forgotten; the next attempt is in a minute");
              }
            });
  }
}
