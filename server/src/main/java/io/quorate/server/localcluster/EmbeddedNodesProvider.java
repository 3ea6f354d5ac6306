package io.quorate.server.localcluster;

import io.quorate.client.testing.EmbeddedClusterProvider;

/** Runs nodes in the JVM of an application's tests. Loaded through a service file. */
public final class EmbeddedNodesProvider implements EmbeddedClusterProvider {
  @Override
  public Nodes start(Shape shape) {
    return EmbeddedNodes.serving(
        new ClusterPlan.Shape(
            shape.nodes(),
            shape.regions(),
            shape.preset().orElse(ClusterPlan.Shape.DEFAULT.preset())));
  }
}
