package io.quorate.benchmarks.cluster;

import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * The configuration of the nodes of a cluster.
 *
 * @param preset name of the preset
 * @param settings configuration keys that differ from the preset and the defaults
 * @param jvmFlags of the nodes, one argument each
 */
public record Deployment(String preset, Map<String, String> settings, List<String> jvmFlags) {
  public Deployment {
    settings = Map.copyOf(settings);
    jvmFlags = List.copyOf(jvmFlags);
  }

  public Deployment(String preset, Map<String, String> settings) {
    this(preset, settings, List.of());
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
   * @param launch returns the additions for a node with these settings
   * @throws io.quorate.server.localcluster.ClusterException if there can be no such cluster
   */
  public ProcessCluster start(
      Path parent,
      int replicas,
      UnaryOperator<ClusterPlan> change,
      BiFunction<NodePlan, Map<String, String>, Launch> launch)
      throws IOException {
    return start(parent, replicas, 1, change, launch);
  }

  /** As above, with this number of regions, 1 or more. */
  public ProcessCluster start(
      Path parent,
      int replicas,
      int regions,
      UnaryOperator<ClusterPlan> change,
      BiFunction<NodePlan, Map<String, String>, Launch> launch)
      throws IOException {
    Map<String, String> all = new HashMap<>(settings);
    all.put("cluster.replicas", Integer.toString(replicas));
    ProcessCluster cluster =
        ProcessCluster.temporary(
            parent,
            new Shape(replicas, regions, preset),
            change,
            node -> launch.apply(node, all).withJvmFlags(jvmFlags));
    try {
      cluster.start();
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }
}
