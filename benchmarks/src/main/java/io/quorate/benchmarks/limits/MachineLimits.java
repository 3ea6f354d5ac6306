package io.quorate.benchmarks.limits;

import io.quorate.server.localcluster.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Measures all limits, one after the other. Not thread-safe. */
public final class MachineLimits implements AutoCloseable {
  private final Path directory;
  private final List<LimitProbe> probes = new ArrayList<>();

  private MachineLimits(Path directory) {
    this.directory = directory;
  }

  /**
   * Prepares the measurements. Blocks.
   *
   * @param parent an existing directory on the measured disk; contains a new directory until this
   *     is closed
   * @throws IOException if files cannot be created there; nothing is left then
   */
  public static MachineLimits open(Path parent) throws IOException {
    MachineLimits limits = new MachineLimits(Files.createTempDirectory(parent, "limits-"));
    try {
      limits.probes.add(DiskProbe.open(limits.directory.resolve("log")));
      limits.probes.add(LoopbackProbe.open());
      limits.probes.add(DatabaseProbe.open(limits.directory.resolve("database")));
      limits.probes.add(new MemoryProbe());
      return limits;
    } catch (IOException | RuntimeException e) {
      limits.close();
      throw e;
    }
  }

  /**
   * Measures each limit once. Blocks for five times the given time, and longer on a slow disk.
   *
   * @param time for each kind of operation
   */
  public Map<Limit, Double> measure(Duration time) throws IOException {
    Map<Limit, Double> limits = new EnumMap<>(Limit.class);
    for (LimitProbe probe : probes) {
      limits.putAll(probe.measure(time));
    }
    return limits;
  }

  /** Deletes all files. Blocks. */
  @Override
  public void close() throws IOException {
    try {
      for (LimitProbe probe : probes) {
        probe.close();
      }
    } finally {
      probes.clear();
      FileTree.delete(directory);
    }
  }
}
