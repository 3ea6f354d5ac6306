package io.quorate.torture.nemesis;

import io.quorate.common.DurableFiles;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.DiskLoss;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Stops a node while the others run, copies its directory, starts it for a while, and then puts the
 * older copy in its place: the node must be refused and end. Healed by emptying the directory and
 * replacing the node, so that it receives its replicas again.
 */
final class OlderDisk implements Nemesis {
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "older-disk";
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
    NodeProcess node = Arena.shuffled(arena.running(), random).get(0);
    Path directory = node.plan().dataDirectory();
    Path copy = directory.resolveSibling(directory.getFileName() + "-older");
    node.kill();
    try {
      DurableFiles.deleteTree(copy);
      Files.createDirectories(copy);
      copyContents(directory, copy);
    } finally {
      node.start();
    }
    if (!arena.awaitReady(node, READY_TIMEOUT)) {
      DurableFiles.deleteTree(copy);
      return Optional.empty();
    }
    DiskLoss.end(arena, node);
    copyContents(copy, directory);
    DurableFiles.deleteTree(copy);
    arena.supervise(node);
    node.start();
    return Optional.of(
        new Fault(
            "gave " + node.plan().id() + " an older copy of its disk",
            () -> {
              DiskLoss.awaitRefused(node, "an older copy of its disk");
              DiskLoss.replace(arena, node);
            },
            true));
  }

  /** Durably: a loss of power must not give the node its former files back. */
  private static void copyContents(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (!file.startsWith(from.resolve("lost+found")) && !Files.isDirectory(target)) {
          Files.copy(file, target);
          if (!Files.isDirectory(target)) {
            DurableFiles.sync(target);
          }
        }
      }
    }
    syncDirectories(to);
  }

  private static void syncDirectories(Path top) throws IOException {
    try (Stream<Path> files = Files.walk(top)) {
      for (Path directory : files.filter(Files::isDirectory).toList()) {
        DurableFiles.syncDirectory(directory);
      }
    }
  }
}
