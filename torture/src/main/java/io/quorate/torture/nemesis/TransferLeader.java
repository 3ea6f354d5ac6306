package io.quorate.torture.nemesis;

import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.NodePlan;
import java.util.Optional;
import java.util.Random;

/** Requests a leader to transfer the leadership of its region to another node. */
final class TransferLeader implements Nemesis {
  @Override
  public String name() {
    return "transfer-leader";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    if (arena.cluster().nodes().size() < 2) {
      return Optional.of("it needs two nodes");
    }
    return arena.hasLeaders() ? Optional.empty() : Optional.of("regions have no leader");
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) {
    int region = arena.anyRegion(random);
    Optional<NodePlan> leader = arena.leader(region).map(id -> arena.cluster().node(id).plan());
    if (leader.isEmpty()) {
      return Optional.empty();
    }
    NodeId target =
        Arena.shuffled(arena.cluster().nodes(), random).stream()
            .map(node -> node.plan().id())
            .filter(id -> !id.equals(leader.get().id()))
            .findFirst()
            .orElseThrow();
    return Optional.of(
        Fault.instantaneous(
            "leadership transfer of region %d from %s to %s: %s"
                .formatted(
                    region, leader.get().id(), target, arena.transferLeader(region, target))));
  }
}
