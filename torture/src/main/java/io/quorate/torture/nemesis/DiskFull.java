package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.LogMark;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.testbed.disk.NodeDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Fills the disks of a minority of the nodes, or of all. If no space is left, a node cannot create
 * the next file of its log, at the latest when it is started, and may end; it is started again when
 * space is free.
 */
final class DiskFull implements Nemesis {
  private static final Duration KEEP_FULL_TIME = Duration.ofSeconds(25);
  private static final long FILL_PAUSE_MILLIS = 10;
  private static final String ENDS = "This node has failed and ends";
  private static final Duration ENDS_WITHIN = Duration.ofSeconds(1);

  private final Amount amount;

  /** How much space remains free. */
  enum Amount {
    /** Too little for new writes to be accepted, and enough for those accepted before. */
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
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> targets =
        (random.nextInt(3) == 0 ? Targets.ALL : Targets.MINORITY).choose(arena, random);
    if (targets.isEmpty()) {
      return Optional.empty();
    }
    List<Path> fillers = new ArrayList<>();
    Map<NodeProcess, LogMark> logs = new LinkedHashMap<>();
    for (NodeProcess node : targets) {
      arena.supervise(node);
      logs.put(node, LogMark.endOf(node));
      fillers.add(arena.disk(node).fill(amount.leaveBytes));
    }
    String description = "filled the disks of " + Targets.names(targets);
    if (amount == Amount.ENTIRELY && random.nextBoolean()) {
      NodeProcess restarted = targets.get(0);
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
              for (NodeProcess node : targets) {
                startAgain(node, logs.get(node));
              }
            }));
  }

  /** A node whose log could not be written ends soon, and would not be started before that. */
  private static void startAgain(NodeProcess node, LogMark log)
      throws IOException, InterruptedException {
    if (log.awaitLine(ENDS, ENDS_WITHIN)) {
      node.onExit().join();
    }
    node.start();
  }

  /** Fills the disk again whenever the node frees space, as another program would. */
  private static void keepFull(NodeDisk disk, NodeProcess node, List<Path> fillers)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + KEEP_FULL_TIME.toNanos();
    while (node.isAlive() && System.nanoTime() < end) {
      Path filler = disk.fill(0);
      if (Files.exists(filler)) {
        fillers.add(filler);
      }
      TimeUnit.MILLISECONDS.sleep(FILL_PAUSE_MILLIS);
    }
  }
}
