package io.quorate.benchmarks.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The resources that a process has used, as reported by Linux under {@code /proc}.
 *
 * @param residentBytes memory that is currently in RAM
 * @param processorTime CPU time on all cores since the start of the process
 */
public record ProcessUse(long residentBytes, Duration processorTime) {
  private static final Path PROC = Path.of("/proc");
  private static final String RESIDENT = "VmRSS:";
  private static final int FIELD_USER_TICKS = 14;
  private static final int FIELD_SYSTEM_TICKS = 15;

  /** Linux reports times to programs in this unit on every platform. */
  private static final long NANOS_PER_TICK = 10_000_000;

  /** Whether this system has {@code /proc}. */
  public static boolean isSupported() {
    return Files.isReadable(PROC.resolve("self").resolve("stat"));
  }

  /**
   * @throws IOException if there is no such process
   */
  public static ProcessUse of(long pid) throws IOException {
    Path process = PROC.resolve(Long.toString(pid));
    return parse(
        Files.readAllLines(process.resolve("status")), Files.readString(process.resolve("stat")));
  }

  /** Parses the contents of {@code status} and {@code stat}. */
  static ProcessUse parse(List<String> status, String stat) throws IOException {
    String resident =
        status.stream()
            .filter(line -> line.startsWith(RESIDENT))
            .map(line -> line.substring(RESIDENT.length()).replace("kB", "").strip())
            .findFirst()
            .orElseThrow(() -> new IOException("The process reports no resident memory."));
    // The second field is the program's name in parentheses, which may contain any character.
    String[] afterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    int firstAfterName = 3;
    long ticks =
        Long.parseLong(afterName[FIELD_USER_TICKS - firstAfterName])
            + Long.parseLong(afterName[FIELD_SYSTEM_TICKS - firstAfterName]);
    return new ProcessUse(Long.parseLong(resident) << 10, Duration.ofNanos(ticks * NANOS_PER_TICK));
  }
}
