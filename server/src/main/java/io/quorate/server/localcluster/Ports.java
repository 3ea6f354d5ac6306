package io.quorate.server.localcluster;

import io.quorate.common.LoopbackPorts;

/** The TCP ports of the nodes of a cluster. */
public sealed interface Ports {

  /** Distance between the ports of a node, and therefore the maximum number of nodes. */
  int STRIDE = 100;

  /** The ports of the node with this number, counted from 0. */
  NodePorts of(int node);

  record NodePorts(int client, int consensus, int admin) {}

  /** Client ports from {@code base} up, consensus ports 100 above, admin ports 200 above. */
  record FromBase(int base) implements Ports {
    /** The default base. */
    public static final int DEFAULT = 7001;

    private static final int BASE_MAX = 65_535 - 3 * STRIDE;

    public FromBase {
      if (base < 1 || base > BASE_MAX) {
        throw new ClusterException(
            "The port base is from 1 to "
                + BASE_MAX
                + ", so that all ports fit; it was "
                + base
                + ".");
      }
    }

    @Override
    public NodePorts of(int node) {
      int client = base + node;
      return new NodePorts(client, client + STRIDE, client + 2 * STRIDE);
    }
  }

  /** Free ports of the loopback address, which are not assigned to any other cluster. */
  record Free() implements Ports {
    @Override
    public NodePorts of(int node) {
      try {
        return new NodePorts(LoopbackPorts.next(), LoopbackPorts.next(), LoopbackPorts.next());
      } catch (IllegalStateException e) {
        throw new ClusterException(e.getMessage(), e);
      }
    }
  }
}
