package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Configuration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Which configuration decides which slot (S2). */
final class Membership {
  private final NodeId self;
  private final int alpha;
  private final List<Roster> rosters = new ArrayList<>();

  /** Whether this replica took part before the oldest configuration that is still kept. */
  private boolean tookPart;

  Membership(NodeId self, int alpha, List<Configuration> configurations) {
    this.self = self;
    this.alpha = alpha;
    reset(configurations);
  }

  void reset(List<Configuration> configurations) {
    rosters.clear();
    tookPart = false;
    configurations.forEach(c -> rosters.add(Roster.of(c, self)));
  }

  /** Who decides this slot. Right for slots up to executed + alpha. */
  Roster at(long slot) {
    for (int i = rosters.size() - 1; i > 0; i--) {
      if (rosters.get(i).configuration().start() <= slot) {
        return rosters.get(i);
      }
    }
    return rosters.get(0);
  }

  /** The newest known, perhaps not yet in force. */
  Roster latest() {
    return rosters.get(rosters.size() - 1);
  }

  /** Whether nothing but an address to ask is known. */
  boolean isUnknown() {
    return latest().configuration().epoch() == 0;
  }

  /** Takes note of an executed reconfiguration; all replicas come to the same result. */
  void apply(long decidedAt, Body.Reconfiguration change) {
    Configuration latest = latest().configuration();
    if (change.basedOn() != latest.epoch()
        || !Configuration.isPossible(change.members())
        || !latest.isStep(change.members())) {
      return;
    }
    long start = decidedAt + alpha;
    rosters.add(Roster.of(new Configuration(latest.epoch() + 1, start, change.members()), self));
  }

  /**
   * S3: whether this replica may speak in the slots of {@code roster}. One that did not take part
   * before may only when all that was decided before is durable here.
   */
  boolean maySpeak(Roster roster, long stateDurable) {
    return roster.includesSelf() && holdsThePast(rosters.indexOf(roster), stateDurable);
  }

  private boolean holdsThePast(int number, long stateDurable) {
    if (number < 0) {
      return false;
    }
    if (stateDurable >= rosters.get(number).configuration().start() - 1) {
      return true;
    }
    return number == 0
        ? tookPart
        : rosters.get(number - 1).includesSelf() && holdsThePast(number - 1, stateDurable);
  }

  /** Forgets configurations that decide no slot after this one. */
  void prune(long executed, long stateDurable) {
    while (rosters.size() > 1 && rosters.get(1).configuration().start() <= executed + 1) {
      tookPart = rosters.get(0).includesSelf() && holdsThePast(0, stateDurable);
      rosters.remove(0);
    }
  }

  List<Configuration> configurations() {
    return rosters.stream().map(Roster::configuration).toList();
  }

  /** Every other member of any configuration that still matters. */
  List<NodeId> others() {
    if (rosters.size() == 1) {
      return rosters.get(0).others();
    }
    Set<NodeId> all = new LinkedHashSet<>();
    rosters.forEach(roster -> all.addAll(roster.others()));
    return List.copyOf(all);
  }
}
