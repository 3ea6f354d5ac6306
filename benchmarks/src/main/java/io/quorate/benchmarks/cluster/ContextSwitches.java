package io.quorate.benchmarks.cluster;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How often the threads of processes were switched out, because they waited (voluntary) or because
 * another one had its turn (involuntary), as Linux reports it under {@code /proc/PID/task}.
 *
 * <p>The kernel counts for each thread and shows no sum for a process; the counts of a thread are
 * gone with it. A difference therefore lacks the switches of threads that ended in between.
 *
 * @param byThread the switches of each running thread since its start; ids of threads are unique on
 *     the machine
 */
public record ContextSwitches(Map<Long, Long> byThread) {
  private static final Path PROC = Path.of("/proc");

  /** The beginnings of the two lines that count. */
  private static final List<String> COUNTS =
      List.of("voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:");

  public ContextSwitches {
    byThread = Map.copyOf(byThread);
  }

  /** Whether this system counts them. */
  public static boolean isSupported() {
    return Files.isDirectory(PROC.resolve("self").resolve("task"));
  }

  /**
   * Reads the counts of all threads of these processes. Blocks, for some 0.1 ms a thread.
   *
   * @throws IOException if there is no such process
   */
  public static ContextSwitches of(Collection<Long> pids) throws IOException {
    Map<Long, Long> byThread = new HashMap<>();
    for (long pid : pids) {
      Path threads = PROC.resolve(Long.toString(pid)).resolve("task");
      try (DirectoryStream<Path> each = Files.newDirectoryStream(threads)) {
        for (Path thread : each) {
          add(thread, byThread);
        }
      } catch (DirectoryIteratorException e) {
        throw e.getCause();
      }
    }
    return new ContextSwitches(byThread);
  }

  /** Adds a thread, unless it has ended since it was listed. */
  private static void add(Path thread, Map<Long, Long> byThread) throws IOException {
    List<String> status;
    try {
      status = Files.readAllLines(thread.resolve("status"));
    } catch (IOException e) {
      if (Files.exists(thread)) {
        throw e;
      }
      return;
    }
    byThread.put(Long.parseLong(thread.getFileName().toString()), parse(status));
  }

  /**
   * The sum of both counts.
   *
   * @param status content of the file {@code status} of a thread
   */
  static long parse(List<String> status) throws IOException {
    long sum = 0;
    int found = 0;
    for (String line : status) {
      for (String count : COUNTS) {
        if (line.startsWith(count)) {
          sum += Long.parseLong(line.substring(count.length()).strip());
          found++;
        }
      }
    }
    if (found != COUNTS.size()) {
      throw new IOException("The system does not count context switches.");
    }
    return sum;
  }

  /** The switches after an earlier reading, of the threads that run still. */
  public long since(ContextSwitches earlier) {
    long sum = 0;
    for (Map.Entry<Long, Long> thread : byThread.entrySet()) {
      long before = earlier.byThread.getOrDefault(thread.getKey(), 0L);
      // An id whose count fell is that of another thread, which is new.
      sum += thread.getValue() - (before <= thread.getValue() ? before : 0);
    }
    return sum;
  }
}
