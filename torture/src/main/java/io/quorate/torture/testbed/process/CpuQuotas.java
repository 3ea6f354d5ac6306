package io.quorate.torture.testbed.process;

import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Limits the CPU time of processes with one control group each, as if each process had its own,
 * slower machine. A limit holds until it is changed or this object is closed. Not thread-safe.
 */
public final class CpuQuotas implements AutoCloseable {
  /** The value for a process without a limit. */
  public static final int UNLIMITED = 0;

  private static final Path GROUPS = Path.of("/sys/fs/cgroup/cpu");
  private static final String QUOTA = "cpu.cfs_quota_us";
  private static final String PERIOD = "cpu.cfs_period_us";
  private static final String PROCESSES = "cgroup.procs";
  private static final String NO_QUOTA = "-1";

  /** So short that a process that has used its quota waits only for milliseconds. */
  private static final int PERIOD_MICROS = 5_000;

  /** The kernel accepts no less. */
  private static final int QUOTA_MICROS_MIN = 1_000;

  private static final int PERCENT = 100;

  private final Map<Long, Path> groups = new LinkedHashMap<>();

  /** The reason why processes cannot be limited on this system; empty if they can. */
  public static Optional<String> obstacle() {
    return Files.isWritable(GROUPS.resolve(PROCESSES)) && Files.exists(GROUPS.resolve(QUOTA))
        ? Optional.empty()
        : Optional.of("it needs to write control groups in " + GROUPS);
  }

  /**
   * Limits one process from now on.
   *
   * @param percent limit in percent of one core, from 1 to 1000, or {@link #UNLIMITED}; below 20
   *     the process waits for longer than 5 ms when it has used its quota
   * @throws IOException if the process does not run or the system rejects the limit
   */
  public void limit(NodeProcess node, int percent) throws IOException {
    long pid =
        node.handle()
            .orElseThrow(() -> new IOException("Node " + node.plan().id() + " does not run."))
            .pid();
    Path group = groups.get(pid);
    if (group == null) {
      if (percent == UNLIMITED) {
        return;
      }
      group = GROUPS.resolve("quorate-" + pid);
      Files.createDirectories(group);
      groups.put(pid, group);
      Files.writeString(group.resolve(PROCESSES), Long.toString(pid));
    }
    // First without a quota, which in between would be one of another period.
    Files.writeString(group.resolve(QUOTA), NO_QUOTA);
    if (percent != UNLIMITED) {
      int period = periodMicros(percent);
      Files.writeString(group.resolve(PERIOD), Integer.toString(period));
      Files.writeString(group.resolve(QUOTA), Integer.toString(period * percent / PERCENT));
    }
  }

  /** The shortest period in which the quota is not less than the kernel accepts. */
  private static int periodMicros(int percent) {
    return Math.max(PERIOD_MICROS, QUOTA_MICROS_MIN * PERCENT / percent);
  }

  /** Removes the control groups; processes that still run have no limit then. */
  @Override
  public void close() {
    for (Path group : groups.values()) {
      try {
        release(group);
        Files.delete(group);
      } catch (NoSuchFileException e) {
        // The group is already removed.
        continue;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    groups.clear();
  }

  /** Moves the processes of a group, of which each may end meanwhile, to the one of all. */
  private static void release(Path group) throws IOException {
    for (String pid : Files.readAllLines(group.resolve(PROCESSES))) {
      try {
        Files.writeString(GROUPS.resolve(PROCESSES), pid);
      } catch (IOException e) {
        if (ProcessHandle.of(Long.parseLong(pid)).isPresent()) {
          throw e;
        }
      }
    }
  }
}
