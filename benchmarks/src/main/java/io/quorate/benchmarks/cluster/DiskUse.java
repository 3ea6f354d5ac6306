package io.quorate.benchmarks.cluster;

import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * What the nodes of a cluster have on their disks, and what was written to these.
 *
 * @param storedBytes sum of the sizes of the files in each data directory, in the order of the
 *     nodes
 * @param writtenBytes bytes written to the block devices of the data directories, by all programs;
 *     see {@link DeviceWrites}
 */
public record DiskUse(List<Long> storedBytes, long writtenBytes) {

  /**
   * Reads the use of a cluster. Blocks.
   *
   * @throws IOException if a data directory cannot be read
   */
  public static DiskUse of(List<NodeProcess> nodes) throws IOException {
    List<Path> directories = nodes.stream().map(node -> node.plan().dataDirectory()).toList();
    List<Long> storedBytes = new ArrayList<>();
    for (Path directory : directories) {
      storedBytes.add(sizeOf(directory));
    }
    return new DiskUse(List.copyOf(storedBytes), DeviceWrites.of(directories));
  }

  /** The sum of the sizes of all files; those that are deleted meanwhile do not count. */
  static long sizeOf(Path directory) throws IOException {
    long[] bytes = {0};
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            bytes[0] += attributes.size();
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            if (Files.exists(file)) {
              throw new UncheckedIOException(e);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return bytes[0];
  }
}
