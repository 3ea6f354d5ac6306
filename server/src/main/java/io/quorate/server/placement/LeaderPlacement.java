package io.quorate.server.placement;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.RegionAssignment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Distributes the leaderships of regions. One object decides on one picture; no side effects.
 *
 * <p>Leaderships move only to nodes that accept writes. Those that do not hand theirs over
 * themselves.
 *
 * <p>First, leaderships leave devices that are slow, all at once. Under the policies {@code lmo}
 * and {@code alor}, they then move to the fastest replicas of their regions, those first that gain
 * the most (ALOR, section 3.2). Then, among replicas that are equally good, the numbers become
 * equal; region 0 does not count there, and nothing happens while replicas change.
 */
final class LeaderPlacement {
  private final ClusterPicture picture;
  private final Policy policy;
  private final DeviceSpeeds speeds;
  private final Set<NodeId> receivers;
  private final Map<NodeId, Integer> counts = new HashMap<>();
  private final List<RegionAssignment> led = new ArrayList<>();

  private LeaderPlacement(ClusterPicture picture, Policy policy, Set<GroupId> busy) {
    this.picture = picture;
    this.policy = policy;
    this.speeds = DeviceSpeeds.of(picture);
    this.receivers = Set.copyOf(picture.receivers());
    for (RegionAssignment region : picture.topology().regions().regions()) {
      add(region, busy);
      if (picture.leaders().containsKey(region.id())) {
        counts.merge(leader(region), 1, Integer::sum);
      }
    }
    // Last, because the placement of the others moves with it.
    add(picture.topology().metadata(), busy);
  }

  private void add(RegionAssignment region, Set<GroupId> busy) {
    if (picture.leaders().containsKey(region.id()) && !busy.contains(region.id())) {
      led.add(region);
    }
  }

  /**
   * The next transfers.
   *
   * @param busy regions whose leadership stays where it is now
   * @param transfersMax the most transfers; does not apply to those away from slow devices
   */
  static List<Transfer> next(
      ClusterPicture picture, Policy policy, Set<GroupId> busy, int transfersMax) {
    if (policy == Policy.NONE) {
      return List.of();
    }
    LeaderPlacement placement = new LeaderPlacement(picture, policy, busy);
    List<Transfer> transfers = placement.evacuations();
    if (transfers.isEmpty()) {
      transfers = placement.migrations(transfersMax);
    }
    return transfers.isEmpty() ? placement.spread(transfersMax) : transfers;
  }

  /** Also while replicas of the region change: a change may take as long as a slow device does. */
  private List<Transfer> evacuations() {
    List<Transfer> transfers = new ArrayList<>();
    for (RegionAssignment region : led) {
      NodeId from = leader(region);
      if (picture.device(from).isSlow()) {
        candidates(region).stream()
            .min(byCopies(region))
            .ifPresent(to -> transfers.add(transfer(region, to, from + " has become slow")));
      }
    }
    return transfers;
  }

  private List<Transfer> migrations(int transfersMax) {
    List<Transfer> transfers = new ArrayList<>();
    if (policy == Policy.ED) {
      return transfers;
    }
    led.stream()
        .filter(region -> region.isStable() && receivers.contains(leader(region)))
        .filter(region -> !picture.refusing().contains(leader(region)))
        .filter(region -> !candidates(region).isEmpty())
        .filter(region -> !candidates(region).contains(leader(region)))
        .sorted(Comparator.comparing(this::gain).reversed())
        .limit(transfersMax)
        .forEach(
            region ->
                transfers.add(
                    transfer(
                        region,
                        candidates(region).stream().min(byCopies(region)).orElseThrow(),
                        String.format(
                            Locale.ROOT,
                            "its device is %.1f times as fast as that of %s",
                            gain(region),
                            leader(region)))));
    return transfers;
  }

  /** How many times as fast the region's fastest device is as that of the leader. */
  private double gain(RegionAssignment region) {
    return speeds.relative(candidates(region).get(0)) / speeds.relative(leader(region));
  }

  private List<Transfer> spread(int transfersMax) {
    List<Transfer> transfers = new ArrayList<>();
    if (picture.changesUnderWay() > 0) {
      return transfers;
    }
    Set<GroupId> moved = new HashSet<>();
    while (transfers.size() < transfersMax) {
      RegionAssignment best = null;
      NodeId receiver = null;
      int bestDifference = 1;
      for (RegionAssignment region : led) {
        boolean isMovable =
            region.isStable()
                && !region.id().equals(RegionAssignment.METADATA)
                && !moved.contains(region.id())
                && candidates(region).contains(leader(region));
        for (NodeId to : isMovable ? candidates(region) : List.<NodeId>of()) {
          int difference = count(leader(region)) - count(to);
          if (difference > bestDifference) {
            bestDifference = difference;
            best = region;
            receiver = to;
          }
        }
      }
      if (best == null) {
        break;
      }
      moved.add(best.id());
      transfers.add(
          transfer(best, receiver, leader(best) + " leads " + bestDifference + " regions more"));
    }
    return transfers;
  }

  private Transfer transfer(RegionAssignment region, NodeId to, String reason) {
    counts.merge(leader(region), -1, Integer::sum);
    counts.merge(to, 1, Integer::sum);
    return new Transfer(region.id(), leader(region), to, reason);
  }

  /**
   * The replicas that may lead: those whose nodes accept writes, on devices that are well; under
   * policies that consider devices, only the fastest of them, the first one fastest.
   */
  private List<NodeId> candidates(RegionAssignment region) {
    List<NodeId> well =
        region.replicas().stream()
            .filter(receivers::contains)
            .filter(picture::mayLead)
            .filter(node -> !picture.isLost(region, node))
            .toList();
    return policy == Policy.ED
        ? well
        : speeds.fastest(well).stream()
            .sorted(Comparator.comparing(speeds::relative).reversed())
            .toList();
  }

  /** With coded replication, a leader that holds large values completely restores none (CRaft). */
  private Comparator<NodeId> byCopies(RegionAssignment region) {
    return Comparator.comparing((NodeId node) -> -picture.completeBodies(region.id(), node))
        .thenComparing(byCount());
  }

  private Comparator<NodeId> byCount() {
    return Comparator.comparing(this::count).thenComparing(NodeId::value);
  }

  private int count(NodeId node) {
    return counts.getOrDefault(node, 0);
  }

  private NodeId leader(RegionAssignment region) {
    return picture.leaders().get(region.id());
  }
}
