package io.quorate.benchmarks.cluster;

import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a node has on its disk, and what it has written to it.
 *
 * @param storedBytes sum of the sizes of the files in its data directory
 * @param writtenBytes bytes that the process has written to disks since its start, as Linux counts
 *     them in {@code /proc/PID/io}, without those that were deleted before they reached the disk; 0
 *     if the directory is in memory
 */
public record DiskUse(long storedBytes, long writtenBytes) {
  private static final Pattern WRITTEN =
      Pattern.compile("^write_bytes: (\\d+)$", Pattern.MULTILINE);
  private static final Pattern CANCELLED =
      Pattern.compile("^cancelled_write_bytes: (\\d+)$", Pattern.MULTILINE);

  /**
   * Reads the use of a node that runs.
   *
   * @throws IOException if the node does not run, or the system does not report its writes
   */
  public static DiskUse of(NodeProcess node) throws IOException {
    long pid =
        node.handle()
            .orElseThrow(() -> new IOException("Node " + node.plan().id() + " does not run."))
            .pid();
    String counters = Files.readString(Path.of("/proc", Long.toString(pid), "io"));
    return new DiskUse(sizeOf(node.plan().dataDirectory()), writtenBytes(counters));
  }

  /**
   * @param counters content of {@code /proc/PID/io}
   */
  static long writtenBytes(String counters) {
    return number(WRITTEN, counters) - number(CANCELLED, counters);
  }

  private static long number(Pattern pattern, String counters) {
    Matcher matcher = pattern.matcher(counters);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
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
