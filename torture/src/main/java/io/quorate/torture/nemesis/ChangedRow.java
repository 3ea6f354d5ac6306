package io.quorate.torture.nemesis;

import io.quorate.consensus.Key;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.disk.ForeignRow;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A node is killed, and started with a row that no other replica has, which clients never read. No
 * file is damaged, so only a comparison finds it. Healed by asking for one: the replica is lost,
 * and replaced from the others.
 */
final class ChangedRow implements Nemesis {
  @Override
  public String name() {
    return "changed-row";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return DiskLoss.obstacle(arena);
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    if (!DiskLoss.isPossible(arena)) {
      return Optional.empty();
    }
    List<NodeProcess> nodes = Arena.shuffled(arena.cluster().nodes(), random);
    NodeProcess changed = nodes.get(0);
    int copies = arena.placement().copies();
    changed.kill();
    Optional<Key> row;
    try {
      row = ForeignRow.add(changed.plan().dataDirectory(), random);
      if (row.isPresent()) {
        arena.markCorrupted(changed);
      }
    } finally {
      changed.start();
    }
    if (row.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Fault(
            "row " + row.get() + " at " + changed.plan().id() + "; " + arena.reaction(changed),
            () -> heal(arena, changed, copies),
            true));
  }

  private static void heal(Arena arena, NodeProcess changed, int copies)
      throws IOException, InterruptedException {
    Optional<String> difference = arena.awaitReplicasEqual(DiskLoss.REPLACED_TIMEOUT);
    if (difference.isEmpty()) {
      throw new IOException("The row that only " + changed.plan().id() + " has was not found");
    }
    long end = System.nanoTime() + DiskLoss.REPLACED_TIMEOUT.toNanos();
    while (difference.isPresent() || !arena.placement().isComplete(copies)) {
      difference.ifPresent(arena::note);
      if (System.nanoTime() - end > 0) {
        throw new IOException(
            "The replica of "
                + changed.plan().id()
                + " was not replaced within "
                + DiskLoss.REPLACED_TIMEOUT.toSeconds()
                + " s");
      }
      difference = arena.awaitReplicasEqual(DiskLoss.REPLACED_TIMEOUT);
    }
    arena.markRepaired(changed);
  }
}
