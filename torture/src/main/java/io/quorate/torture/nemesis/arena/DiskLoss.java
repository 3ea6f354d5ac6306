package io.quorate.torture.nemesis.arena;

import io.quorate.common.DurableFiles;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** What the faults have in common that cost a node its disk, or may. */
public final class DiskLoss {
  /** Until then lost replicas of a node must have been replaced from the others. */
  public static final Duration REPLACED_TIMEOUT = Duration.ofSeconds(120);

  private static final Duration COMPLETE_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration REFUSED_TIMEOUT = Duration.ofSeconds(60);

  private DiskLoss() {}

  /** The reason why no node of this cluster may lose its disk; empty if one may. */
  public static Optional<String> obstacle(Arena arena) {
    return arena.cluster().nodes().size() < 3
        ? Optional.of("it needs three nodes, because only a minority may lose its disks")
        : Optional.empty();
  }

  /**
   * Whether a node may lose its disk and others may stop: all run, none has damaged files, and each
   * has all of its replicas. Blocks for seconds if one has not, because a replica may be moving.
   */
  public static boolean isPossible(Arena arena) throws InterruptedException {
    return arena.running().size() == arena.cluster().nodes().size()
        && arena.mayDamage()
        && arena.placement().awaitComplete(arena.placement().copies(), COMPLETE_TIMEOUT);
  }

  /** Empties a data directory, which itself may be where a file system is mounted. */
  static void empty(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        if (!entry.getFileName().toString().equals("lost+found")) {
          DurableFiles.deleteTree(entry);
        }
      }
    }
  }

  /** Ends a node for good: its process is killed, and its disk emptied. */
  public static void end(Arena arena, NodeProcess node) throws IOException {
    node.kill();
    arena.markCorrupted(node);
    empty(node.plan().dataDirectory());
  }

  /**
   * Starts a node with an empty disk, and replaces it. Blocks until it has its replicas again.
   *
   * @throws IOException if it has not after two minutes
   */
  public static void replace(Arena arena, NodeProcess node)
      throws IOException, InterruptedException {
    node.kill();
    empty(node.plan().dataDirectory());
    node.start();
    arena.operator().replace(node);
    arena.markRepaired(node);
  }

  /**
   * Blocks until lost replicas of a node have been replaced from the others.
   *
   * @param copies the number of replicas that every region has then
   * @throws IOException if they have not after two minutes
   */
  public static void awaitReplaced(Arena arena, NodeProcess node, int copies)
      throws IOException, InterruptedException {
    if (!arena.placement().awaitComplete(copies, REPLACED_TIMEOUT)) {
      throw new IOException(
          "Not every replica of node "
              + node.plan().id()
              + " was there again within "
              + REPLACED_TIMEOUT.toSeconds()
              + " s");
    }
    arena.markRepaired(node);
  }

  /**
   * Blocks until a node has ended that must refuse its files.
   *
   * @throws IOException if it has not after a minute
   */
  public static void awaitRefused(NodeProcess node, String files)
      throws IOException, InterruptedException {
    if (!awaitEnd(node, REFUSED_TIMEOUT)) {
      throw new IOException("Node " + node.plan().id() + " runs with " + files);
    }
  }

  /** Blocks until the process of a node has ended; returns whether it has within a time. */
  public static boolean awaitEnd(NodeProcess node, Duration timeout) throws InterruptedException {
    try {
      node.onExit().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
