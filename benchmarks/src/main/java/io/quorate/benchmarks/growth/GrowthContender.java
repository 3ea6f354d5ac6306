package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.cluster.ProcessUse;
import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.paper.measurement.Probe;
import io.quorate.benchmarks.paper.measurement.SyncProbe;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A cluster of Quorate with some regions and idle connections, whose memory is measured. */
final class GrowthContender implements Contender {
  /** With region 0, which has the cluster's metadata. */
  private static final int GROUPS_RUNNING = GrowthScale.BUSY_REGIONS_MAX + 1;

  private final QuorateContender cluster;
  private final int connections;
  private final Duration settle;
  private Optional<MemoryUse> memory = Optional.empty();
  private Optional<QuorateContender.Running> running = Optional.empty();

  private GrowthContender(Deployment deployment, int regions, int connections, Duration settle) {
    this.cluster = new QuorateContender(deployment, regions);
    this.connections = connections;
    this.settle = settle;
  }

  /**
   * A cluster with the default settings.
   *
   * @param regions number of regions, 1 or more
   * @param connections number of idle connections, 0 or more
   * @param settle time without calls before memory is measured
   */
  static GrowthContender idle(String preset, int regions, int connections, Duration settle) {
    return new GrowthContender(new Deployment(preset), regions, connections, settle);
  }

  /** A cluster whose regions can all be in use: under Raft, none hibernates. */
  static GrowthContender busy(String preset, int regions, Duration settle) {
    String groups = Integer.toString(GROUPS_RUNNING);
    Deployment deployment = new Deployment(preset, Map.of("raft.groups-running-min", groups));
    return new GrowthContender(deployment, regions, 0, settle);
  }

  @Override
  public String name() {
    String what =
        connections > 0
            ? connections + " idle connections"
            : regions() == 1 ? "1 region" : regions() + " regions";
    return String.format(Locale.ROOT, "%s, %s", preset(), what);
  }

  @Override
  public String description() {
    return cluster.description() + " " + connections + " idle connections.";
  }

  String preset() {
    return cluster.deployment().preset();
  }

  int regions() {
    return cluster.regions();
  }

  int connections() {
    return connections;
  }

  /** The memory before any call; empty if it has not started or the system does not report it. */
  Optional<MemoryUse> memory() {
    return memory;
  }

  /** The cluster while it runs. */
  Optional<QuorateContender.Running> running() {
    return running;
  }

  @Override
  public void prepare(Programs programs) {
    // Its classes are those of this program.
  }

  @Override
  public RunningContender start(Path parent) throws IOException, InterruptedException {
    QuorateContender.Running started = cluster.start(parent);
    try {
      TimeUnit.NANOSECONDS.sleep(settle.toNanos());
      double before = resident(started);
      IdleConnections idle = IdleConnections.open(addresses(started), connections);
      double after = resident(started);
      if (ProcessUse.isSupported()) {
        int nodes = started.processes().size();
        memory = Optional.of(new MemoryUse(nodes, regions(), connections, before, after));
      }
      running = Optional.of(started);
      return new Running(started, idle);
    } catch (IOException | InterruptedException | RuntimeException e) {
      started.close();
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

  /** The cluster and its idle connections. */
  private final class Running implements RunningContender {
    private final QuorateContender.Running started;
    private final IdleConnections idle;

    Running(QuorateContender.Running started, IdleConnections idle) {
      this.started = started;
      this.idle = idle;
    }

    @Override
    public List<KeyValueCalls> calls() {
      return started.calls();
    }

    @Override
    public List<ProcessHandle> processes() {
      return started.processes();
    }

    @Override
    public List<Probe> probes() throws IOException, InterruptedException {
      return List.of(SyncProbe.open(started.cluster().plan().nodes()));
    }

    @Override
    public void requireAlive() throws IOException {
      started.requireAlive();
    }

    @Override
    public void close() {
      running = Optional.empty();
      try {
        idle.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        started.close();
      }
    }
  }
}
