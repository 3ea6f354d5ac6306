package io.quorate.benchmarks.cluster;

import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every measurement that starts its own cluster. */
public final class ClusterOptions {
  /** Maximum time from the start of a cluster until it serves. */
  public static final Duration SERVING_PATIENCE = Duration.ofSeconds(90);

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "Nodes of the cluster that is started (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--regions",
      paramLabel = "R",
      defaultValue = "1",
      description = "Regions of the cluster that is started (default: ${DEFAULT-VALUE}).")
  private int regions;

  @Option(
      names = "--preset",
      paramLabel = "P",
      defaultValue = "raft",
      description = "How its replicas agree (default: ${DEFAULT-VALUE}).")
  private String preset;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "A key of its configuration to override, such as rabia.chooser=published.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Mixin private DataDirectoryOption data;

  public String preset() {
    return preset;
  }

  public int regions() {
    return regions;
  }

  /**
   * Starts the cluster and waits until it serves. Closing it deletes all its files.
   *
   * @throws io.quorate.server.localcluster.ClusterException if there can be no such cluster or it
   *     does not serve; it is stopped and deleted then
   */
  public ProcessCluster start() throws IOException {
    return start(Map.of());
  }

  /** Like {@link #start()}, of nodes and clients that present certificates. */
  public ProcessCluster startSecure() throws IOException {
    return start(Map.of(), new Shape(nodes, regions, preset).withSecurity(true));
  }

  /**
   * Like {@link #start()}, with settings of the measurement.
   *
   * @param defaults keys of the configuration, which {@code --set} overrides
   */
  public ProcessCluster start(Map<String, String> defaults) throws IOException {
    return start(defaults, new Shape(nodes, regions, preset));
  }

  private ProcessCluster start(Map<String, String> defaults, Shape shape) throws IOException {
    Map<String, String> all = new LinkedHashMap<>(defaults);
    all.putAll(settings);
    ProcessCluster cluster =
        ProcessCluster.temporary(data.make(), shape, UnaryOperator.identity(), Launch.with(all));
    try {
      cluster.start();
      cluster.awaitServing(SERVING_PATIENCE);
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }
}
