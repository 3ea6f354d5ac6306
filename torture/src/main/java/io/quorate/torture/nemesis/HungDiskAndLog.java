package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Expectation;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.testbed.disk.NodeDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Blocks all writes to the disk of a leader on which its log output is too, as on a machine with
 * one disk. For that the node is restarted with another file for its output, and receives a
 * leadership, before its disk hangs.
 */
final class HungDiskAndLog implements Nemesis {
  private static final Duration DURATION_MAX = Duration.ofSeconds(20);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(60);

  @Override
  public String name() {
    return "hung-disk-and-log";
  }

  @Override
  public Set<Need> needs() {
    return Set.of(Need.DISKS);
  }

  @Override
  public Expectation expectation() {
    return Expectation.PROGRESS_ONCE_ESTABLISHED;
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    Optional<NodeProcess> target = SickDisk.withHealthyDisk(arena, Targets.ONE, random);
    if (target.isEmpty()) {
      return Optional.empty();
    }
    NodeProcess node = target.get();
    NodeDisk disk = arena.disk(node);
    node.stop(STOP_TIMEOUT);
    moveLogToDisk(node);
    node.start();
    boolean isReady = arena.awaitReady(node, READY_TIMEOUT);
    if (isReady && arena.hasLeaders()) {
      arena.operator().transferLeader(arena.anyRegion(random), node.plan().id());
    }
    Fault.Healing healing =
        () -> {
          disk.thaw();
          node.stop(STOP_TIMEOUT);
          moveLogBack(node);
          node.start();
        };
    if (!isReady) {
      healing.heal();
      return Optional.empty();
    }
    disk.stall(DURATION_MAX);
    return Optional.of(new Fault("hung the disk of " + node.plan().id() + " and its log", healing));
  }

  private static Path kept(NodeProcess node) {
    return node.plan().directory().resolve("server.log.kept");
  }

  private static void moveLogToDisk(NodeProcess node) throws IOException {
    Path log = node.plan().logFile();
    Files.move(log, kept(node), StandardCopyOption.REPLACE_EXISTING);
    Files.createSymbolicLink(log, node.plan().dataDirectory().resolve("server.log"));
  }

  /** What the node logged meanwhile stays on its disk. */
  private static void moveLogBack(NodeProcess node) throws IOException {
    Files.move(kept(node), node.plan().logFile(), StandardCopyOption.REPLACE_EXISTING);
  }
}
