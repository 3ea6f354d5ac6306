package io.quorate.server.dev;

import io.quorate.loopback.LoopbackPorts;

/** Which TCP ports the nodes of a cluster listen on. */
public sealed interface Ports {

  /** The distance between a node's client, consensus and admin port; so many nodes fit. */
  int STRIDE = 100;

  /** The ports of the node with this number, counted from 0. */
  NodePorts of(int node);

  record NodePorts(int client, int consensus, int admin) {}

  /** Client ports from {@code base} up, consensus ports 100 above, admin ports 200 above. */
  record FromBase(int base) implements Ports {
    /** Where {@link #FromBase} starts when nobody says otherwise. */
    public static final int DEFAULT = 7001;

    private static final int MOST = 65_535 - 3 * STRIDE;

    public FromBase {
      if (base < 1 || base > MOST) {
        throw new ClusterException(
            "The port base is from 1 to " + MOST + ", so that all ports fit; it was " + base + ".");
      }
    }

    @Override
    public NodePorts of(int node) {
      return new NodePorts(base + node, base + STRIDE + node, base + 2 * STRIDE + node);
    }
  }

  /** Ports of the loopback address that no other cluster is given. */
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
