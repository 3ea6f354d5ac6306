package io.quorate.rabia.core.members;

import io.quorate.model.NodeId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Configuration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The configurations of a group, and the slots that each of them decides (S2). */
public final class ConfigurationHistory {
  private final NodeId self;
  private final long firstEpoch;
  private final int alpha;
  private final List<LocalMembership> memberships = new ArrayList<>();

  /** Whether this replica participated before the oldest configuration that is retained. */
  private boolean participated;

  /**
   * @param firstEpoch the first epoch in which this replica may be a member
   */
  public ConfigurationHistory(
      NodeId self, long firstEpoch, int alpha, List<Configuration> configurations) {
    this.self = self;
    this.firstEpoch = firstEpoch;
    this.alpha = alpha;
    reset(configurations);
  }

  public void reset(List<Configuration> configurations) {
    memberships.clear();
    participated = false;
    configurations.forEach(c -> memberships.add(LocalMembership.of(c, self, firstEpoch)));
  }

  /** The configuration that decides this slot. Correct for slots up to executed + alpha. */
  public LocalMembership at(long slot) {
    for (int i = memberships.size() - 1; i > 0; i--) {
      if (memberships.get(i).configuration().start() <= slot) {
        return memberships.get(i);
      }
    }
    return memberships.get(0);
  }

  /** The newest known configuration, which may start at a later slot. */
  public LocalMembership latest() {
    return memberships.get(memberships.size() - 1);
  }

  /**
   * Whether the group is unknown: only the addresses of nodes to request its state from are known.
   */
  public boolean isUnknown() {
    return latest().configuration().epoch() == 0;
  }

  /** Applies an executed reconfiguration. The result is the same at all replicas. */
  public void apply(long decidedAt, Body.Reconfiguration change) {
    Configuration latest = latest().configuration();
    if (change.basedOn() != latest.epoch()
        || !Configuration.isPossible(change.members())
        || !latest.isOneChange(change.members())) {
      return;
    }
    long epoch = Math.max(latest.epoch() + 1, Configuration.firstEpoch(change.number()));
    Configuration next = new Configuration(epoch, decidedAt + alpha, change.members());
    memberships.add(LocalMembership.of(next, self, firstEpoch));
  }

  /**
   * Whether this replica may send messages in the slots of {@code membership} (S3). A replica that
   * did not participate before may do so only when all slots before are durable here.
   */
  public boolean mayParticipate(LocalMembership membership, long stateDurable) {
    return membership.includesSelf()
        && hasDurableHistory(memberships.indexOf(membership), stateDurable);
  }

  private boolean hasDurableHistory(int number, long stateDurable) {
    if (number < 0) {
      return false;
    }
    if (stateDurable >= memberships.get(number).configuration().start() - 1) {
      return true;
    }
    return number == 0
        ? participated
        : memberships.get(number - 1).includesSelf() && hasDurableHistory(number - 1, stateDurable);
  }

  /** Removes the configurations that decide no slot after {@code executed}. */
  public void prune(long executed, long stateDurable) {
    while (memberships.size() > 1 && memberships.get(1).configuration().start() <= executed + 1) {
      participated = memberships.get(0).includesSelf() && hasDurableHistory(0, stateDurable);
      memberships.remove(0);
    }
  }

  public List<Configuration> all() {
    return memberships.stream().map(LocalMembership::configuration).toList();
  }

  /** Every other member of the retained configurations. */
  public List<NodeId> others() {
    if (memberships.size() == 1) {
      return memberships.get(0).others();
    }
    Set<NodeId> all = new LinkedHashSet<>();
    memberships.forEach(membership -> all.addAll(membership.others()));
    return List.copyOf(all);
  }
}
