package io.quorate.server.localcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Records the process of a node, so that other programs can find it. Process ids are reused, so the
 * file also contains the start time of the process.
 */
final class ProcessFile {
  /** Systems report the start of a process only with this precision, and correct their clocks. */
  private static final Duration START_TOLERANCE = Duration.ofSeconds(2);

  private ProcessFile() {}

  static void write(Path file, ProcessHandle process) throws IOException {
    Files.writeString(file, process.pid() + " " + startOf(process).toEpochMilli() + "\n");
  }

  /** The process, if it still runs. */
  static Optional<ProcessHandle> read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    String[] fields = Files.readString(file).strip().split(" ");
    if (fields.length != 2) {
      return Optional.empty();
    }
    long pid;
    Instant start;
    try {
      pid = Long.parseLong(fields[0]);
      start = Instant.ofEpochMilli(Long.parseLong(fields[1]));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(
            process ->
                Duration.between(start, startOf(process)).abs().compareTo(START_TOLERANCE) <= 0);
  }

  private static Instant startOf(ProcessHandle process) {
    return process.info().startInstant().orElse(Instant.EPOCH);
  }
}
