package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.DiskLoss;
import io.quorate.torture.nemesis.arena.FailpointOrders;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.LogMark;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.testbed.agent.FailpointOrder;
import io.quorate.torture.testbed.disk.Damage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A node is off until the others have truncated the entries that it lacks, and bytes of the
 * snapshot that it then needs are changed: at the node that has exported it, before it is sent, or
 * at the receiver, which is down when it has just begun to install it. The receiver must reject the
 * former and request another one; with the latter it has no state left, and reports its replica as
 * lost, which is replaced from the others.
 */
final class FlippedSnapshot implements Nemesis {
  private static final long OFF_MILLIS = 4_000;
  private static final Duration SNAPSHOT_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration NOTICED_TIMEOUT = Duration.ofSeconds(30);
  private static final long POLL_PAUSE_MILLIS = 50;

  /** In the line that a node logs when files of a snapshot are not as their manifest says. */
  private static final String REJECTED = " of a snapshot is missing or damaged";

  private final Place place;

  /** Where the files are that are changed. */
  enum Place {
    /** At the sender, all files written. */
    EXPORTED("flipped-export"),
    /** At the receiver, the former state given up. */
    INSTALLED("flipped-install");

    private final String nemesis;

    Place(String nemesis) {
      this.nemesis = nemesis;
    }
  }

  FlippedSnapshot(Place place) {
    this.place = place;
  }

  @Override
  public String name() {
    return place.nemesis;
  }

  @Override
  public Set<Need> needs() {
    return Set.of(Need.SHORT_LOGS);
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return DiskLoss.obstacle(arena).or(() -> Nemesis.super.obstacle(arena));
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    if (!DiskLoss.isPossible(arena)) {
      return Optional.empty();
    }
    NodeProcess receiver = Arena.shuffled(arena.running(), random).get(0);
    return place == Place.EXPORTED
        ? changeExported(arena, receiver, random)
        : changeInstalled(arena, receiver, random);
  }

  /** Kills a node and starts it when it needs snapshots. */
  private static void letFallBehind(NodeProcess node) throws IOException, InterruptedException {
    node.kill();
    try {
      TimeUnit.MILLISECONDS.sleep(OFF_MILLIS);
    } finally {
      node.start();
    }
  }

  private static Optional<Fault> changeExported(Arena arena, NodeProcess receiver, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> senders = new ArrayList<>(arena.running());
    senders.remove(receiver);
    LogMark log = LogMark.endOf(receiver);
    List<Damage> changed;
    try {
      for (NodeProcess sender : senders) {
        FailpointOrders.send(sender.plan(), new FailpointOrder.StallAt("storage.export.complete"));
      }
      letFallBehind(receiver);
      long end = System.nanoTime() + SNAPSHOT_TIMEOUT.toNanos();
      do {
        TimeUnit.MILLISECONDS.sleep(POLL_PAUSE_MILLIS);
        changed = change(exports(senders), random);
      } while (changed.isEmpty() && System.nanoTime() - end < 0);
    } finally {
      for (NodeProcess sender : senders) {
        FailpointOrders.withdraw(sender.plan());
      }
    }
    return changed.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Fault(
                changed + ", exported for " + receiver.plan().id(),
                () ->
                    arena.note(
                        receiver.plan().id()
                            + (log.awaitLine(REJECTED, NOTICED_TIMEOUT)
                                ? " has rejected a snapshot"
                                : " has received none of those"))));
  }

  private static Optional<Fault> changeInstalled(Arena arena, NodeProcess receiver, Random random)
      throws IOException, InterruptedException {
    int copies = arena.placement().copies();
    LogMark log = LogMark.endOf(receiver);
    // It may still end when the order is withdrawn.
    arena.supervise(receiver);
    List<Damage> changed = List.of();
    try {
      FailpointOrders.send(receiver.plan(), new FailpointOrder.CrashAt("storage.install.marked"));
      letFallBehind(receiver);
      if (DiskLoss.awaitEnd(receiver, SNAPSHOT_TIMEOUT)) {
        changed =
            change(Damage.snapshots(receiver.plan().dataDirectory().resolve("storage")), random);
      }
      if (!changed.isEmpty()) {
        arena.markCorrupted(receiver);
      }
    } finally {
      FailpointOrders.withdraw(receiver.plan());
      receiver.start();
    }
    return changed.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Fault(
                changed + " of " + receiver.plan().id() + "; " + arena.reaction(receiver),
                () -> {
                  if (!log.awaitLine(REJECTED, NOTICED_TIMEOUT)) {
                    throw new IOException(
                        "Node " + receiver.plan().id() + " has not noticed a changed snapshot");
                  }
                  DiskLoss.awaitReplaced(arena, receiver, copies);
                },
                true));
  }

  /** The complete snapshots that other nodes have asked for. */
  private static List<Path> exports(List<NodeProcess> senders) throws IOException {
    List<Path> exports = new ArrayList<>();
    for (NodeProcess sender : senders) {
      Damage.snapshots(sender.plan().dataDirectory().resolve("consensus")).stream()
          .filter(directory -> directory.getParent().endsWith("outgoing"))
          .forEach(exports::add);
    }
    return exports;
  }

  /** Changes bytes of one table of each snapshot. */
  private static List<Damage> change(List<Path> snapshots, Random random) throws IOException {
    List<Damage> changed = new ArrayList<>();
    for (Path snapshot : snapshots) {
      Optional<Path> table = Damage.anyTable(snapshot, random);
      if (table.isPresent()) {
        changed.add(Damage.flipAnywhere(table.get(), random));
      }
    }
    return changed;
  }
}
