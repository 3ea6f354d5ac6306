package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.DiskLoss;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.testbed.disk.FileLoss;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Files of one node are lost while a minority is off that has not received the last writes; then
 * these start, and the others that have the writes stop. If the node took part as if nothing had
 * happened, the writes would be gone. It must refuse to start, or report replicas as lost, which
 * are then replaced.
 */
final class RemovedFiles implements Nemesis {
  /** Time for writes that the minority does not receive. */
  private static final long WRITE_MILLIS = 2_000;

  @Override
  public String name() {
    return "removed-files";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return DiskLoss.obstacle(arena);
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> nodes = Arena.shuffled(arena.cluster().nodes(), random);
    FileLoss kind = FileLoss.values()[random.nextInt(FileLoss.values().length)];
    if (!DiskLoss.isPossible(arena)) {
      return Optional.empty();
    }
    int copies = arena.placement().copies();
    NodeProcess damaged = nodes.get(0);
    int minority = (nodes.size() - 1) / 2;
    List<NodeProcess> behind = nodes.subList(1, 1 + minority);
    List<NodeProcess> ahead = nodes.subList(1 + minority, nodes.size());
    behind.forEach(NodeProcess::kill);
    TimeUnit.MILLISECONDS.sleep(WRITE_MILLIS);
    damaged.kill();
    Optional<String> lost = kind.apply(damaged.plan().dataDirectory(), random);
    if (lost.isEmpty()) {
      start(nodes);
      return Optional.empty();
    }
    arena.markCorrupted(damaged);
    arena.supervise(damaged);
    ahead.forEach(NodeProcess::kill);
    start(behind);
    damaged.start();
    return Optional.of(
        new Fault(
            String.format(
                Locale.ROOT,
                "%s at %s, with %s off before and %s since; %s",
                lost.get(),
                damaged.plan().id(),
                Targets.names(behind),
                Targets.names(ahead),
                arena.reaction(damaged)),
            () -> {
              start(ahead);
              heal(arena, damaged, kind, copies);
            },
            true));
  }

  private static void start(List<NodeProcess> nodes) throws IOException {
    for (NodeProcess node : nodes) {
      node.start();
    }
  }

  private static void heal(Arena arena, NodeProcess node, FileLoss kind, int copies)
      throws IOException, InterruptedException {
    if (kind.isRefused()) {
      DiskLoss.awaitRefused(node, "lost files");
    }
    long end = System.nanoTime() + DiskLoss.REPLACED_TIMEOUT.toNanos();
    while (node.isAlive()) {
      if (arena.placement().awaitComplete(copies, Duration.ofSeconds(1))) {
        arena.markRepaired(node);
        return;
      }
      if (System.nanoTime() - end > 0) {
        throw new IOException(
            "The lost replicas of node "
                + node.plan().id()
                + " were not replaced within "
                + DiskLoss.REPLACED_TIMEOUT.toSeconds()
                + " s");
      }
    }
    arena.note("replacing " + node.plan().id() + ", which ended: " + node.lastSentence());
    DiskLoss.replace(arena, node);
  }
}
