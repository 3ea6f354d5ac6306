package io.quorate.server.node;

import io.quorate.common.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of one node of a stopped cluster, by what they are for, and how they are damaged. */
final class DamagedFiles {
  private static final Pattern LOG_FILE = Pattern.compile("\\d{8}\\.log");

  private DamagedFiles() {}

  /** The log of all regions. */
  static Path nodeLog(Path data) {
    return data.resolve("consensus").resolve("log");
  }

  /** The file of the log that has most of the writes: it is the largest. */
  static Path fullestLog(Path data) throws IOException {
    return largest(nodeLog(data), LOG_FILE.pattern());
  }

  static Path newestLog(Path data) throws IOException {
    return logs(data).max(Comparator.naturalOrder()).orElseThrow();
  }

  /** The first one that is there. */
  static Path oldestLog(Path data) throws IOException {
    return logs(data).min(Comparator.naturalOrder()).orElseThrow();
  }

  private static Stream<Path> logs(Path data) throws IOException {
    try (Stream<Path> files = Files.list(nodeLog(data))) {
      return files
          .filter(file -> LOG_FILE.matcher(file.getFileName().toString()).matches())
          .toList()
          .stream();
    }
  }

  /** Puts a directory in the place of a file, which then cannot be read. */
  static void makeUnreadable(Path file) throws IOException {
    Files.delete(file);
    Files.createDirectory(file);
  }

  /** The only file of a kind, or the largest of it. */
  static Path largest(Path directory, String name) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> file.getFileName().toString().matches(name))
          .max(Comparator.comparingLong(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  static void deleteAll(Path directory, String name) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (file.getFileName().toString().matches(name)) {
          Files.delete(file);
        }
      }
    }
  }

  static void delete(Path data, String directory) throws IOException {
    DurableFiles.deleteTree(data.resolve(directory));
  }

  /** Changes one bit in the middle. */
  static void flip(Path file) throws IOException {
    flip(file, (int) Files.size(file) / 2);
  }

  static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 4;
    Files.write(file, bytes);
  }

  static void cut(Path log) throws IOException {
    byte[] bytes = Files.readAllBytes(log);
    Files.write(log, Arrays.copyOf(bytes, content(bytes) / 2));
  }

  /** Changes two sectors in the middle of the records. */
  static void overwrite(Path log, int value) throws IOException {
    byte[] bytes = Files.readAllBytes(log);
    int begin = content(bytes) / 2 / 512 * 512;
    Arrays.fill(bytes, begin, begin + 1024, (byte) value);
    Files.write(log, bytes);
  }

  private static int content(byte[] bytes) {
    int end = bytes.length;
    while (bytes[end - 1] == 0) {
      end--;
    }
    return end;
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Path target = to.resolve(from.relativize(path));
        Files.createDirectories(target.getParent());
        Files.copy(path, target);
      }
    }
  }
}
