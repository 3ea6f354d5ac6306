package io.quorate.benchmarks.cluster;

import io.quorate.server.dev.NodeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Bounds what processes take of the processors, each by a control group of its own, as if each had
 * a machine of its own that is as slow. Processes keep their bounds until these are changed or the
 * shares are closed. For use by one thread.
 */
public final class ProcessorShares implements AutoCloseable {
  /** Of a process that has no bound. */
  public static final int UNBOUNDED = 0;

  private static final Path GROUPS = Path.of("/sys/fs/cgroup/cpu");
  private static final String QUOTA = "cpu.cfs_quota_us";
  private static final String PERIOD = "cpu.cfs_period_us";
  private static final String PROCESSES = "cgroup.procs";
  private static final String NO_QUOTA = "-1";

  /** So short that a process which has used up its part waits for milliseconds only. */
  private static final int PERIOD_MICROS = 10_000;

  private static final int PERCENT = 100;

  private final Map<Long, Path> groups = new LinkedHashMap<>();

  /** Why processes cannot be bounded here; empty if they can. */
  public static Optional<String> obstacle() {
    return Files.isWritable(GROUPS.resolve(PROCESSES)) && Files.exists(GROUPS.resolve(QUOTA))
        ? Optional.empty()
        : Optional.of("it needs to write control groups in " + GROUPS);
  }

  /**
   * Bounds one process from now on.
   *
   * @param percent of one core, from 10 on, or {@link #UNBOUNDED}
   * @throws IOException if it does not run or the system refuses
   */
  public void bound(NodeProcess node, int percent) throws IOException {
    long pid =
        node.handle()
            .orElseThrow(() -> new IOException("Node " + node.plan().id() + " does not run."))
            .pid();
    Path group = groups.get(pid);
    if (group == null) {
      if (percent == UNBOUNDED) {
        return;
      }
      group = GROUPS.resolve("quorate-" + pid);
      Files.createDirectories(group);
      groups.put(pid, group);
      Files.writeString(group.resolve(PERIOD), Integer.toString(PERIOD_MICROS));
      Files.writeString(group.resolve(PROCESSES), Long.toString(pid));
    }
    Files.writeString(
        group.resolve(QUOTA),
        percent == UNBOUNDED
            ? NO_QUOTA
            : Integer.toString(Math.multiplyExact(PERIOD_MICROS, percent) / PERCENT));
  }

  /** Removes the groups; processes that still run are unbounded then. */
  @Override
  public void close() {
    for (Path group : groups.values()) {
      try {
        for (String pid : Files.readAllLines(group.resolve(PROCESSES))) {
          Files.writeString(GROUPS.resolve(PROCESSES), pid);
        }
        Files.delete(group);
      } catch (NoSuchFileException e) {
        // Somebody removed it, which is what was to be done.
        continue;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    groups.clear();
  }
}
