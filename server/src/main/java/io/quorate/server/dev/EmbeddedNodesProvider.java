package io.quorate.server.dev;

import io.quorate.client.testing.EmbeddedClusterProvider;

/** Lets the tests of applications run nodes in their own JVM. Found by its name in a file. */
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
