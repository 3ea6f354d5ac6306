package io.quorate.server.node;

import io.quorate.common.HostPort;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;

/** Opens listeners on ports; a port that cannot be bound is an error that the operator can fix. */
final class PortBinder {
  private PortBinder() {}

  /** Opens a listener on an address. */
  @FunctionalInterface
  interface Opener<T> {
    T open(InetSocketAddress address) throws IOException;
  }

  /**
   * @param node the node that the port belongs to
   * @param key the port's key in the section of the node
   * @throws StartupException if the port cannot be bound
   * @throws IOException if opening fails for another reason
   */
  static <T> T open(String bind, int port, ClusterNode node, String key, Opener<T> opener)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(bind, port);
    try {
      return opener.open(address);
    } catch (IOException | UnresolvedAddressException e) {
      if (isAboutAddress(e)) {
        throw new StartupException(
            String.format(
                Locale.ROOT,
                "Key cluster.nodes[].%s of node %s: %s cannot be bound, because another process uses it or it is not an address of this machine (node.bind).",
                key,
                node.id(),
                HostPort.text(bind, port)),
            e);
      }
      throw e;
    }
  }

  /**
   * Verifies that an address can be bound now, for an opener that does not report this reliably: a
   * network library may end the process instead.
   *
   * @throws IOException if the address cannot be bound
   */
  static void requireFree(InetSocketAddress address) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(address);
    }
  }

  private static boolean isAboutAddress(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause.getMessage());
      if (cause instanceof BindException
          || cause instanceof UnresolvedAddressException
          || message.contains("Address already in use")) {
        return true;
      }
    }
    return false;
  }
}
