package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.DiskLoss;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Kills a node, empties its data directory, and starts it: it must not vote under its name. Healed
 * by replacing it, so that it receives its replicas again.
 */
final class LostDisk implements Nemesis {
  @Override
  public String name() {
    return "lost-disk";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return DiskLoss.obstacle(arena);
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) throws IOException {
    List<NodeProcess> running = Arena.shuffled(arena.running(), random);
    if (running.isEmpty() || !arena.mayDamage() || !arena.placement().hasAllReplicas()) {
      return Optional.empty();
    }
    NodeProcess node = running.get(0);
    try {
      DiskLoss.end(arena, node);
    } finally {
      node.start();
    }
    return Optional.of(
        new Fault(
            "emptied the disk of " + node.plan().id(),
            () -> {
              if (!node.isAlive()) {
                node.start();
              }
              arena.operator().replace(node);
              arena.markRepaired(node);
            },
            true));
  }
}
