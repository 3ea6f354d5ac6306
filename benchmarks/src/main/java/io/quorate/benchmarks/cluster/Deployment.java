package io.quorate.benchmarks.cluster;

import io.quorate.server.dev.ClusterPlan;
import io.quorate.server.dev.ClusterPlan.Shape;
import io.quorate.server.dev.Launch;
import io.quorate.server.dev.ProcessCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * How the nodes of a cluster are set up.
 *
 * @param preset how replicas agree
 * @param settings keys of the configuration that differ from the preset's and the defaults
 */
public record Deployment(String preset, Map<String, String> settings) {
  public Deployment {
    settings = Map.copyOf(settings);
  }

  public Deployment(String preset) {
    this(preset, Map.of());
  }

  /**
   * Starts the processes of a cluster of one region with a replica on each node, and does not wait
   * for it to serve. Closing it removes all that it left.
   *
   * @param parent an existing directory, in which the data is while it runs
   * @param change of the plan before it is used
   * @throws io.quorate.server.dev.ClusterException if there can be no such cluster
   */
  public ProcessCluster start(Path parent, int replicas, UnaryOperator<ClusterPlan> change)
      throws IOException {
    Map<String, String> all = new HashMap<>(settings);
    all.put("cluster.replicas", Integer.toString(replicas));
    ProcessCluster cluster =
        ProcessCluster.temporary(parent, new Shape(replicas, 1, preset), change, Launch.with(all));
    try {
      cluster.start();
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }
}
