package io.quorate.torture.testbed.disk;

import io.quorate.common.ShutdownHook;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.FileTree;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.torture.testbed.process.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A disk for each node of a cluster, mounted at its data directory. The disks are unmounted on
 * close, and when this process is terminated; disks that a killed process left mounted are
 * unmounted when the next process creates disks.
 */
public final class Disks implements AutoCloseable {
  private static final List<String> PROGRAMS =
      List.of("mkfs.xfs", "xfs_io", "fsfreeze", "fallocate", "mount", "umount");

  private final Map<NodeId, NodeDisk> disks = new LinkedHashMap<>();
  private final List<FileChannel> locks = new ArrayList<>();
  private final ShutdownHook closeWithJvm = new ShutdownHook("disks-close", this::close);
  private boolean closed;

  private Disks() {}

  /** The reason why this system cannot provide disks, as a clause; empty if it can. */
  public static Optional<String> obstacle() {
    for (String program : PROGRAMS) {
      if (!Programs.isInstalled(program)) {
        return Optional.of(
            "it needs a disk for each node, and the program " + program + " is not installed");
      }
    }
    if (!Files.exists(Path.of("/dev/loop-control"))) {
      return Optional.of("it needs a disk for each node, and there are no loop devices");
    }
    return trial();
  }

  /** Creates a disk and removes it again: no other check covers all requirements. */
  private static Optional<String> trial() {
    try {
      Path directory = Files.createTempDirectory("quorate-disk-trial-");
      try (FileChannel lock = Mounts.lock(directory)) {
        NodeDisk disk =
            new NodeDisk(directory.resolve(Mounts.IMAGE_NAME), directory.resolve("mount"));
        disk.make();
        disk.close();
        return lock.isOpen() ? Optional.empty() : Optional.of("the trial's lock was lost");
      } finally {
        FileTree.delete(directory);
      }
    } catch (IOException e) {
      return Optional.of(
          "it needs a disk for each node, and none can be created: " + e.getMessage());
    }
  }

  /**
   * Creates and mounts the disks of a cluster whose nodes have not been started yet.
   *
   * @throws IOException if a disk cannot be created; then none is left
   */
  public static Disks of(ClusterPlan plan) throws IOException {
    Mounts.sweep();
    Disks disks = new Disks();
    disks.closeWithJvm.register();
    try {
      for (NodePlan node : plan.nodes()) {
        disks.add(node);
      }
      return disks;
    } catch (IOException e) {
      disks.close();
      throw e;
    }
  }

  private synchronized void add(NodePlan node) throws IOException {
    if (closed) {
      throw new IOException("The disks are closed");
    }
    locks.add(Mounts.lock(node.directory()));
    NodeDisk disk = new NodeDisk(node.directory().resolve(Mounts.IMAGE_NAME), node.dataDirectory());
    disk.make();
    disks.put(node.id(), disk);
  }

  public NodeDisk of(NodeId node) {
    return disks.get(node);
  }

  /** Unmounts all disks. Blocks while nodes that are being stopped use them. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    // All disks are thawed first: a node that waits for a frozen disk cannot end.
    disks.values().forEach(NodeDisk::thaw);
    try {
      for (NodeDisk disk : disks.values()) {
        disk.close();
      }
      for (FileChannel lock : locks) {
        lock.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    closeWithJvm.close();
  }
}
