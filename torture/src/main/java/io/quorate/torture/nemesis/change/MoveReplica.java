package io.quorate.torture.nemesis.change;

import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.model.NodeId;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/**
 * Plans the move of a replica to a node that has none of its region. The move goes on while the
 * next faults are injected.
 */
public final class MoveReplica implements Nemesis {
  @Override
  public String name() {
    return "move-replica";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return obstacleOfMoves(arena);
  }

  /** The reason why replicas cannot move between the nodes; empty if they can. */
  static Optional<String> obstacleOfMoves(Arena arena) {
    return arena.placement().region(1).map(RegionDescriptor::replicas).map(List::size).orElse(0)
            < arena.cluster().nodes().size()
        ? Optional.empty()
        : Optional.of("every node has a replica of every region");
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) {
    int region = arena.anyRegion(random);
    List<NodeId> nodes =
        Arena.shuffled(arena.cluster().nodes(), random).stream()
            .map(node -> node.plan().id())
            .toList();
    Optional<RegionDescriptor> present = arena.placement().region(region);
    if (present.isEmpty()) {
      return Optional.empty();
    }
    List<NodeId> replicas = present.get().replicas();
    NodeId from = nodes.stream().filter(replicas::contains).findFirst().orElseThrow();
    NodeId to = nodes.stream().filter(node -> !replicas.contains(node)).findFirst().orElseThrow();
    return Optional.of(
        Fault.instantaneous(
            String.format(
                Locale.ROOT,
                "move of a replica of region %d from %s to %s: %s",
                region,
                from,
                to,
                arena.operator().moveReplica(region, from, to))));
  }
}
