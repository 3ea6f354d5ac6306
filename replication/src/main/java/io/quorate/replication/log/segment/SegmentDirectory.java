package io.quorate.replication.log.segment;

import io.quorate.common.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The directory of the segments. Every method but {@link #file} blocks. Thread-safe. */
public final class SegmentDirectory {
  private static final Pattern NAME = Pattern.compile("(\\d{8,})\\.log");

  private final Path path;

  /**
   * @param path need not exist
   */
  public SegmentDirectory(Path path) {
    this.path = path.toAbsolutePath();
  }

  public Path path() {
    return path;
  }

  /** The file of a segment. */
  public Path file(long number) {
    return path.resolve(String.format(Locale.ROOT, "%08d.log", number));
  }

  /** The name of a segment's file until it is durable. */
  Path unfinished(long number) {
    return path.resolve(String.format(Locale.ROOT, "%08d.new", number));
  }

  /** The numbers of the segments, ascending. */
  public List<Long> numbers() throws IOException {
    if (!Files.exists(path)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(path)) {
      return files
          .map(file -> NAME.matcher(file.getFileName().toString()))
          .filter(Matcher::matches)
          .map(name -> Long.parseLong(name.group(1)))
          .sorted()
          .toList();
    }
  }

  /** Deletes segments that were being created when the process ended. */
  public void deleteUnfinished() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".new")).toList()) {
        Files.delete(file);
      }
    }
  }

  /** Deletes a segment durably; a power loss before the call returns may bring it back. */
  public void delete(long number) throws IOException {
    Files.deleteIfExists(file(number));
    DurableFiles.syncDirectory(path);
  }
}
