package io.quorate.rabia.log;

import io.quorate.common.DurableFiles;
import io.quorate.common.ReplicaReads;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of a log. All methods block. */
final class LogDirectory {
  private static final Pattern SEGMENT = Pattern.compile("segment-(\\d{10,18})");
  private static final String UNFINISHED = ".new";

  private final Path path;

  private LogDirectory(Path path) {
    this.path = path;
  }

  /** Creates the directory durably if it does not exist. */
  static LogDirectory open(Path path) throws IOException {
    Path absolute = path.toAbsolutePath();
    List<Path> changed = new ArrayList<>();
    for (Path missing = absolute; !Files.isDirectory(missing); missing = missing.getParent()) {
      changed.add(missing.getParent());
    }
    try {
      Files.createDirectories(absolute);
    } catch (FileAlreadyExistsException e) {
      throw ReplicaReads.failure(absolute, e);
    }
    for (Path parent : changed) {
      DurableFiles.syncDirectory(parent);
    }
    return new LogDirectory(absolute);
  }

  Path path() {
    return path;
  }

  Path segment(long number) {
    return path.resolve(String.format(Locale.ROOT, "segment-%010d", number));
  }

  /** The file in which a segment is prepared until it has its header. */
  Path unfinished(long number) {
    return path.resolve(segment(number).getFileName() + UNFINISHED);
  }

  /** The numbers of all segments, ascending. */
  List<Long> segments() throws IOException {
    List<Long> numbers = new ArrayList<>();
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.toList()) {
        Matcher name = SEGMENT.matcher(file.getFileName().toString());
        if (name.matches()) {
          numbers.add(Long.parseLong(name.group(1)));
        }
      }
    } catch (IOException e) {
      throw ReplicaReads.failure(path, e);
    }
    numbers.sort(null);
    return numbers;
  }

  /** Deletes segments whose preparation a crash interrupted. */
  void deleteUnfinished() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.toList()) {
        if (file.getFileName().toString().endsWith(UNFINISHED)) {
          Files.delete(file);
        }
      }
    }
  }

  /** Deletes a segment durably. */
  void delete(long number) throws IOException {
    Files.delete(segment(number));
    sync();
  }

  /** Makes the creation, renaming and deletion of files durable. */
  void sync() throws IOException {
    DurableFiles.syncDirectory(path);
  }
}
