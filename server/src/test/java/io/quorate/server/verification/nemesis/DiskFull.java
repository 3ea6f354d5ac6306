package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.verification.disk.NodeDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Fills the disks of a minority of the nodes, or of all. Where nothing is left, a node finds no
 * room for a new part of its log, at the latest when it is started, and may end; it is started
 * again when there is room.
 */
final class DiskFull implements Nemesis {
  private static final Duration KEPT_FULL = Duration.ofSeconds(25);
  private static final long FILL_PAUSE_MILLIS = 10;

  private final Amount amount;

  /** How much room is left. */
  enum Amount {
    /** Less than what writes are refused at, and enough to write what was taken before. */
    NEARLY("disk-full", 100L << 20),
    /** None. */
    ENTIRELY("disk-full-at-once", 0);

    private final String nemesis;
    private final long leaveBytes;

    Amount(String nemesis, long leaveBytes) {
      this.nemesis = nemesis;
      this.leaveBytes = leaveBytes;
    }
  }

  DiskFull(Amount amount) {
    this.amount = amount;
  }

  @Override
  public String name() {
    return amount.nemesis;
  }

  @Override
  public Set<Need> needs() {
    return Set.of(Need.DISKS);
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> victims =
        (random.nextInt(3) == 0 ? Victims.ALL : Victims.MINORITY).choose(arena, random);
    if (victims.isEmpty()) {
      return Optional.empty();
    }
    List<Path> fillers = new ArrayList<>();
    for (NodeProcess node : victims) {
      arena.supervise(node);
      fillers.add(arena.disk(node).fill(amount.leaveBytes));
    }
    String description = "filled the disks of " + Victims.names(victims);
    if (amount == Amount.ENTIRELY && random.nextBoolean()) {
      NodeProcess restarted = victims.get(0);
      restarted.kill();
      restarted.start();
      keepFull(arena.disk(restarted), restarted, fillers);
      description += "; restarted " + restarted.plan().id() + "; " + arena.reaction(restarted);
    }
    return Optional.of(
        new Fault(
            description,
            () -> {
              for (Path filler : fillers) {
                Files.deleteIfExists(filler);
              }
              for (NodeProcess node : victims) {
                node.start();
              }
            }));
  }

  /** What a node gives back when it opens its files, another program takes at once. */
  private static void keepFull(NodeDisk disk, NodeProcess node, List<Path> fillers)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + KEPT_FULL.toNanos();
    while (node.isAlive() && System.nanoTime() < end) {
      Path filler = disk.fill(0);
      if (Files.exists(filler)) {
        fillers.add(filler);
      }
      TimeUnit.MILLISECONDS.sleep(FILL_PAUSE_MILLIS);
    }
  }
}
