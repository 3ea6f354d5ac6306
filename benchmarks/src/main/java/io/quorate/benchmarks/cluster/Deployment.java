package io.quorate.benchmarks.cluster;

import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The configuration of the nodes of a cluster.
 *
 * @param preset name of the preset
 * @param settings configuration keys that differ from the preset and the defaults
 */
public record Deployment(String preset, Map<String, String> settings) {
  public Deployment {
    settings = Map.copyOf(settings);
  }

  public Deployment(String preset) {
    this(preset, Map.of());
  }

  /**
   * Starts the processes of a cluster of one region with a replica on each node. Does not wait
   * until it serves. Closing it deletes all its files.
   *
   * @param parent an existing directory, which contains the data while the cluster runs
   * @param change applied to the plan before its use
   * @throws io.quorate.server.localcluster.ClusterException if there can be no such cluster
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
