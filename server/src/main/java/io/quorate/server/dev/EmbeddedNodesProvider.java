package io.quorate.server.dev;

import io.quorate.client.testing.EmbeddedClusterProvider;
import io.quorate.server.dev.ClusterPlan.Shape;
import java.util.Optional;

/** Lets the tests of applications run nodes in their own JVM. Found by its name in a file. */
public final class EmbeddedNodesProvider implements EmbeddedClusterProvider {
  @Override
  public Nodes start(int nodes, Optional<String> preset) {
    return EmbeddedNodes.serving(new Shape(nodes, 1, preset.orElse(Shape.DEFAULT.preset())));
  }
}
