package io.quorate.torture.nemesis;

import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.DiskLoss;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.LogMark;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.testbed.disk.ForeignRow;
import java.io.IOException;
import java.time.Duration;
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
    Optional<NodeProcess> host =
        Arena.shuffled(arena.cluster().nodes(), random).stream()
            .filter(node -> hostsTheRow(arena, node.plan().id()))
            .findFirst();
    if (host.isEmpty()) {
      return Optional.empty();
    }
    NodeProcess changed = host.get();
    int copies = arena.placement().copies();
    LogMark log = LogMark.endOf(changed);
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
            () -> heal(arena, changed, row.get(), log, copies),
            true));
  }

  /** Only replicas of the region with the row are compared. */
  private static boolean hostsTheRow(Arena arena, NodeId node) {
    Key row = Key.utf8(ForeignRow.PREFIX);
    return arena.placement().regions().stream()
        .anyMatch(region -> region.range().contains(row) && region.replicas().contains(node));
  }

  private static void heal(Arena arena, NodeProcess changed, Key row, LogMark log, int copies)
      throws IOException, InterruptedException {
    Optional<String> difference = arena.awaitReplicasEqual(DiskLoss.REPLACED_TIMEOUT);
    if (difference.isEmpty()
        && !log.awaitLine(ReplicaState.DIFFERS, Duration.ZERO)
        && !hasBeenReplaced(arena, row, log)) {
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

  /** Whether the node was so far behind that a snapshot has replaced all rows of the region. */
  private static boolean hasBeenReplaced(Arena arena, Key row, LogMark log)
      throws InterruptedException {
    for (RegionDescriptor region : arena.placement().regions()) {
      // By Rabia, and by Raft, which does not log each installation.
      String installed = "Installed a snapshot region=" + region.id() + " ";
      String fetched = "Fetched a snapshot region=" + region.id() + " ";
      if (region.range().contains(row)
          && (log.awaitLine(installed, Duration.ZERO) || log.awaitLine(fetched, Duration.ZERO))) {
        arena.note("the row is gone: a snapshot has replaced region " + region.id());
        return true;
      }
    }
    return false;
  }
}
