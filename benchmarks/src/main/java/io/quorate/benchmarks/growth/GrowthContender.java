package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.cluster.ProcessUse;
import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.RunningContender;
import io.quorate.benchmarks.peers.quorate.QuorateContender;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A cluster of Quorate with some regions and idle connections, whose memory is measured. */
final class GrowthContender implements Contender {
  private static final String PRESET = "raft";

  private final int regions;
  private final int connections;
  private final Duration settle;
  private Optional<MemoryUse> memory = Optional.empty();

  /**
   * @param regions number of regions, 1 or more
   * @param connections number of idle connections, 0 or more
   * @param settle time without calls before memory is measured
   */
  GrowthContender(int regions, int connections, Duration settle) {
    this.regions = regions;
    this.connections = connections;
    this.settle = settle;
  }

  @Override
  public String name() {
    return connections > 0
        ? String.format(Locale.ROOT, "%d idle connections", connections)
        : regions == 1 ? "1 region" : regions + " regions";
  }

  @Override
  public String description() {
    return new QuorateContender(PRESET, regions).description()
        + " "
        + connections
        + " idle connections.";
  }

  int regions() {
    return regions;
  }

  int connections() {
    return connections;
  }

  /** The memory before any call; empty if it has not started or the system does not report it. */
  Optional<MemoryUse> memory() {
    return memory;
  }

  @Override
  public void prepare(Programs programs) {
    // Its classes are those of this program.
  }

  @Override
  public RunningContender start(Path parent) throws IOException, InterruptedException {
    QuorateContender.Running cluster = new QuorateContender(PRESET, regions).start(parent);
    try {
      TimeUnit.NANOSECONDS.sleep(settle.toNanos());
      double before = resident(cluster);
      IdleConnections idle = IdleConnections.open(addresses(cluster), connections);
      double after = resident(cluster);
      if (ProcessUse.isSupported()) {
        int nodes = cluster.processes().size();
        memory = Optional.of(new MemoryUse(nodes, regions, connections, before, after));
      }
      return new Running(cluster, idle);
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private static double resident(RunningContender cluster)
      throws IOException, InterruptedException {
    return ProcessUse.isSupported() ? ResidentMemory.mean(cluster.processes()) : 0;
  }

  private static List<InetSocketAddress> addresses(QuorateContender.Running cluster) {
    return cluster.cluster().plan().nodes().stream()
        .map(node -> new InetSocketAddress(node.host(), node.clientPort()))
        .toList();
  }

  private record Running(RunningContender cluster, IdleConnections idle)
      implements RunningContender {
    @Override
    public List<KeyValueCalls> calls() {
      return cluster.calls();
    }

    @Override
    public List<ProcessHandle> processes() {
      return cluster.processes();
    }

    @Override
    public void requireAlive() throws IOException {
      cluster.requireAlive();
    }

    @Override
    public void close() {
      try {
        idle.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        cluster.close();
      }
    }
  }
}
