package io.quorate.server.dev;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

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

  /**
   * Ports that nobody listens on at the moment of asking, below the range from which systems take
   * the ports of outgoing connections: there, a node that restarts could find its port taken.
   */
  final class Free implements Ports {
    private static final int LOWEST = 12_000;
    private static final int COUNT = 18_000;
    private static final int TRIES = 1_000;

    private final Random random = new Random();
    private final Set<Integer> taken = new HashSet<>();

    @Override
    public NodePorts of(int node) {
      return new NodePorts(next(), next(), next());
    }

    private int next() {
      for (int i = 0; i < TRIES; i++) {
        int port = LOWEST + random.nextInt(COUNT);
        if (taken.add(port) && isFree(port)) {
          return port;
        }
      }
      throw new ClusterException(
          "There is no free TCP port from " + LOWEST + " to " + (LOWEST + COUNT - 1) + ".");
    }
  }

  /** Whether a server could listen on this port of the loopback address now. */
  static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
