package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.DiskLoss;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.testbed.disk.Damage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Kills a node, damages one of its files, and starts it. The node may serve if it recognizes the
 * damage, or refuse to start. Healed by restoring the original bytes; where rows are damaged and
 * the node has ended to be rebuilt, by its replicas from the other nodes.
 */
final class Corruption implements Nemesis {
  private final Location location;

  /** Which bytes are damaged. */
  enum Location {
    /** Bytes near the end of the log file that was written last. */
    LOG("corrupt-log"),
    /** Bytes anywhere in a file of rows. */
    ROWS("corrupt-rows");

    private final String nemesis;

    Location(String nemesis) {
      this.nemesis = nemesis;
    }
  }

  Corruption(Location location) {
    this.location = location;
  }

  @Override
  public String name() {
    return location.nemesis;
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return arena.cluster().nodes().size() < 3
        ? Optional.of("it needs three nodes, because only a minority may be corrupted")
        : Optional.empty();
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> intact =
        arena.running().stream().filter(node -> !arena.isCorrupted(node)).toList();
    int maxCorrupted = (arena.cluster().nodes().size() - 1) / 2;
    if (intact.isEmpty() || arena.corruptedCount() >= maxCorrupted) {
      return Optional.empty();
    }
    NodeProcess node = Arena.shuffled(intact, random).get(0);
    int copies = arena.placement().copies();
    if (location == Location.ROWS) {
      arena.supervise(node);
    }
    node.kill();
    Optional<Damage> damage;
    try {
      damage = damage(node.plan().dataDirectory(), random);
      if (damage.isPresent()) {
        arena.markCorrupted(node);
      }
    } finally {
      node.start();
    }
    if (damage.isEmpty()) {
      return Optional.empty();
    }
    Damage injected = damage.get();
    return Optional.of(
        new Fault(
            injected + " of " + node.plan().id() + "; " + arena.reaction(node),
            () -> heal(arena, node, injected, copies),
            location == Location.ROWS));
  }

  private Optional<Damage> damage(Path data, Random random) throws IOException {
    if (location == Location.ROWS) {
      Optional<Path> table = Damage.anyTable(data.resolve("storage"), random);
      return table.isPresent()
          ? Optional.of(Damage.flipAnywhere(table.get(), random))
          : Optional.empty();
    }
    Optional<Path> log = Damage.newestLog(data.resolve("consensus").resolve("log"));
    if (log.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        random.nextInt(3) == 0
            ? Damage.truncate(log.get(), random)
            : Damage.flipInTail(log.get(), random));
  }

  private void heal(Arena arena, NodeProcess node, Damage damage, int copies)
      throws IOException, InterruptedException {
    node.kill();
    try {
      damage.undo();
    } finally {
      node.start();
    }
    if (location == Location.ROWS) {
      DiskLoss.awaitReplaced(arena, node, copies);
    } else {
      arena.markRepaired(node);
    }
  }
}
