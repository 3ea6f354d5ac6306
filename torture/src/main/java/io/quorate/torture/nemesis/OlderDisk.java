package io.quorate.torture.nemesis;

import io.quorate.common.DurableFiles;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Stops a node while the others run, copies its directory, starts it for a while, and then puts the
 * older copy in its place: the node must be refused and end. Healed by emptying the directory and
 * replacing the node, so that it receives its replicas again.
 */
final class OlderDisk implements Nemesis {
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration REFUSED_TIMEOUT = Duration.ofSeconds(60);

  @Override
  public String name() {
    return "older-disk";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return arena.cluster().nodes().size() < 3
        ? Optional.of("it needs three nodes, because only a minority may lose its disks")
        : Optional.empty();
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> running = Arena.shuffled(arena.running(), random);
    boolean isWhole = running.size() == arena.cluster().nodes().size();
    if (!isWhole || arena.corruptedCount() > 0 || !arena.hasAllReplicas()) {
      return Optional.empty();
    }
    NodeProcess node = running.get(0);
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
    node.kill();
    arena.markCorrupted(node);
    LostDisk.empty(directory);
    copyContents(copy, directory);
    DurableFiles.deleteTree(copy);
    arena.supervise(node);
    node.start();
    return Optional.of(
        new Fault(
            "gave " + node.plan().id() + " an older copy of its disk",
            () -> replace(arena, node),
            true));
  }

  private static void replace(Arena arena, NodeProcess node)
      throws IOException, InterruptedException {
    try {
      node.onExit().get(REFUSED_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException("Node " + node.plan().id() + " runs with an older copy of its disk", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    node.kill();
    LostDisk.empty(node.plan().dataDirectory());
    node.start();
    arena.operator().replace(node);
    arena.markRepaired(node);
  }

  private static void copyContents(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (!file.startsWith(from.resolve("lost+found")) && !Files.isDirectory(target)) {
          Files.copy(file, target);
        }
      }
    }
  }
}
