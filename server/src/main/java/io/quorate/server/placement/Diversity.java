package io.quorate.server.placement;

import io.quorate.model.NodeId;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * In how many failure domains the replicas of a region are: first the number of different widest
 * domains, then the number of different domains within them, and so on. The diversity with the
 * greater number at the first difference is greater.
 *
 * @param domains the numbers, the widest domains first
 */
record Diversity(List<Integer> domains) implements Comparable<Diversity> {

  static Diversity of(Collection<NodeId> replicas, StoredTopology topology) {
    List<List<String>> labels =
        replicas.stream()
            .map(node -> topology.node(node).map(Diversity::labels).orElse(List.of()))
            .toList();
    int depth = labels.stream().mapToInt(List::size).max().orElse(0);
    List<Integer> domains = new ArrayList<>();
    for (int i = 1; i <= depth; i++) {
      int level = i;
      domains.add(
          (int)
              labels.stream()
                  .map(each -> each.subList(0, Math.min(level, each.size())))
                  .distinct()
                  .count());
    }
    return new Diversity(domains);
  }

  private static List<String> labels(NodeEntry entry) {
    return entry.node().labels();
  }

  @Override
  public int compareTo(Diversity other) {
    int common = Math.min(domains.size(), other.domains.size());
    for (int i = 0; i < common; i++) {
      int difference = domains.get(i) - other.domains.get(i);
      if (difference != 0) {
        return difference;
      }
    }
    return 0;
  }
}
