package io.quorate.testing;

import io.quorate.server.localcluster.EmbeddedNodes;
import java.util.Objects;

/**
 * Faults of the nodes of an {@link EmbeddedCluster}, to test what an application does then. They
 * last until {@link #heal}, or until the cluster is closed; a method that begins one then throws
 * {@link IllegalStateException}. Safe for use by multiple threads; no method blocks.
 *
 * <pre>{@code
 * cluster.faults().dropResponses(0);
 * assertThrows(IndeterminateException.class, () -> service.order(item));
 * cluster.faults().heal();
 * }</pre>
 */
public final class ClusterFaults {
  private final EmbeddedNodes nodes;

  ClusterFaults(EmbeddedNodes nodes) {
    this.nodes = nodes;
  }

  /**
   * Loses the responses of a node to clients: it executes what they request, and they do not learn
   * it. A write that is sent to this node alone fails with {@link
   * io.quorate.client.IndeterminateException} at its deadline. Clients can connect.
   *
   * @param node the number of the node, from 0
   */
  public void dropResponses(int node) {
    nodes.dropResponses(Objects.checkIndex(node, nodes.size()));
  }

  /** As {@link #dropResponses(int)}, for all nodes. */
  public void dropResponses() {
    for (int node = 0; node < nodes.size(); node++) {
      nodes.dropResponses(node);
    }
  }

  /**
   * Cuts a node off from the others, in both directions: its replicas lead no more after some
   * seconds, and are behind. Clients reach it as before.
   *
   * @param node the number of the node, from 0
   */
  public void isolate(int node) {
    nodes.isolate(Objects.checkIndex(node, nodes.size()));
  }

  /** Ends all faults. Nodes that were stopped stay so. */
  public void heal() {
    nodes.heal();
  }
}
