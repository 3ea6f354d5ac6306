package io.quorate.torture.testbed.disk;

import io.quorate.server.localcluster.FileTree;
import io.quorate.server.localcluster.Launch;
import io.quorate.torture.testbed.agent.AgentJar;
import io.quorate.torture.testbed.agent.FailpointOrder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Stands in for {@link LimitedDevices} where the system provides none: all nodes share one disk,
 * and an agent in each node delays the fsyncs of its log, one after the other. Flushes and
 * compactions are not delayed, so the nodes differ less than with devices, and the nodes know their
 * speed from the configuration. Unlike {@link SyncDelays} it works on every system, and fsyncs do
 * not overlap, as on a device. Not thread-safe.
 */
public final class DelayedDevices implements NodeDevices {
  /** An fsync of the log is about so many writes of a file system. */
  private static final double WRITES_PER_SYNC = 3;

  private static final double MICROS_PER_SECOND = 1e6;

  /** The fsyncs of the log, and those by which a node notices that its device is slow. */
  private static final List<String> SYNCS =
      List.of("log.before-sync", "server.sync-watch.before-sync");

  private final Path directory;
  private final AgentJar agent;

  /** The configured speeds: those of the first limits. */
  private final Map<Integer, Long> speeds = new HashMap<>();

  /**
   * @param parent an existing directory for files other than the data
   */
  public DelayedDevices(Path parent) throws IOException {
    this.directory = Files.createTempDirectory(parent, "quorate-delays-");
    this.agent = AgentJar.in(directory);
  }

  @Override
  public void limit(int device, Limit limit) throws IOException {
    long micros = Math.round(MICROS_PER_SECOND * WRITES_PER_SYNC / limit.writesPerSecond());
    new FailpointOrder.DelayAt(SYNCS, micros).send(orders(device));
    speeds.putIfAbsent(device, limit.bytesPerSecond());
  }

  private Path orders(int device) {
    return directory.resolve("orders" + device);
  }

  @Override
  public Launch launch(int device) {
    return new Launch(
        List.of(agent.flag(orders(device), Optional.empty())),
        Map.of(),
        Map.of("placement.device-speed", speeds.get(device) + "B"));
  }

  @Override
  public void clear() throws IOException {
    // The data of a cluster is deleted with it.
    for (int device : speeds.keySet()) {
      FailpointOrder.withdraw(orders(device));
    }
    speeds.clear();
  }

  @Override
  public void close() {
    try {
      FileTree.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
