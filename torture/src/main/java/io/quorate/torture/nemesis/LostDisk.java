package io.quorate.torture.nemesis;

import io.quorate.common.DurableFiles;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Kills a node, empties its data directory, and starts it: it must not vote under its name. Healed
 * by replacing it, so that it receives its replicas again.
 */
final class LostDisk implements Nemesis {
  @Override
  public String name() {
    return "lost-disk";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return arena.cluster().nodes().size() < 3
        ? Optional.of("it needs three nodes, because only a minority may lose its disks")
        : Optional.empty();
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) throws IOException {
    List<NodeProcess> running = Arena.shuffled(arena.running(), random);
    if (running.isEmpty() || arena.corruptedCount() > 0 || !arena.hasAllReplicas()) {
      return Optional.empty();
    }
    NodeProcess node = running.get(0);
    node.kill();
    try {
      arena.markCorrupted(node);
      empty(node.plan().dataDirectory());
    } finally {
      node.start();
    }
    return Optional.of(
        new Fault(
            "emptied the disk of " + node.plan().id(),
            () -> {
              if (!node.isAlive()) {
                node.start();
              }
              arena.operator().replace(node);
              arena.markRepaired(node);
            },
            true));
  }

  /** The directory itself may be where a file system is mounted. */
  static void empty(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        if (!entry.getFileName().toString().equals("lost+found")) {
          DurableFiles.deleteTree(entry);
        }
      }
    }
  }
}
