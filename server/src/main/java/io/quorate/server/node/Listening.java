package io.quorate.server.node;

import io.quorate.server.config.NodeAddress;
import io.quorate.server.config.StartRefusal;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.UnresolvedAddressException;

/** Starts what listens on a port; a port that cannot be had is the operator's to put right. */
final class Listening {
  private Listening() {}

  /** Something that starts to listen. */
  @FunctionalInterface
  interface Opener<T> {
    T open(InetSocketAddress address) throws IOException;
  }

  /**
   * @param node whose port it is
   * @param key the port's key within the node
   * @throws StartRefusal if the port cannot be listened on
   * @throws IOException if something else fails
   */
  static <T> T on(String bind, int port, NodeAddress node, String key, Opener<T> opener)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(bind, port);
    try {
      return opener.open(address);
    } catch (IOException | UnresolvedAddressException e) {
      if (isAboutAddress(e)) {
        throw new StartRefusal(
            "Key cluster.nodes[].%s of node %s: %s:%d cannot be listened on, because another process uses it or it is no address of this machine (node.bind)."
                .formatted(key, node.id(), bind, port),
            e);
      }
      throw e;
    }
  }

  /**
   * Makes sure that an address can be listened on now, for an opener that is not to be trusted to
   * say so: a network library may end the process over it.
   *
   * @throws IOException if it cannot
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
