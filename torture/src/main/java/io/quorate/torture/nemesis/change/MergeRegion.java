package io.quorate.torture.nemesis.change;

import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.model.NodeId;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Plans the merge of a region with the one before it in key order, which has its replicas on the
 * same nodes. The merge may go on while the next faults are injected.
 */
public final class MergeRegion implements Nemesis {
  @Override
  public String name() {
    return "merge-region";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return arena.codesValues()
        ? Optional.of("regions whose large values are coded are not merged")
        : Optional.empty();
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) {
    List<RegionDescriptor> possible = possible(arena.placement().regions());
    if (possible.isEmpty()) {
      return Optional.empty();
    }
    RegionDescriptor region = possible.get(random.nextInt(possible.size()));
    return Optional.of(
        Fault.instantaneous(
            String.format(
                Locale.ROOT,
                "merge of region %s with the one before it: %s",
                region.id(),
                arena.operator().mergeRegion(region.range().start()))));
  }

  /**
   * The regions that can be merged with the one before them.
   *
   * @param regions in the order of their keys
   */
  static List<RegionDescriptor> possible(List<RegionDescriptor> regions) {
    List<RegionDescriptor> possible = new ArrayList<>();
    for (int i = 1; i < regions.size(); i++) {
      Set<NodeId> before = Set.copyOf(regions.get(i - 1).replicas());
      if (before.equals(Set.copyOf(regions.get(i).replicas()))) {
        possible.add(regions.get(i));
      }
    }
    return possible;
  }
}
