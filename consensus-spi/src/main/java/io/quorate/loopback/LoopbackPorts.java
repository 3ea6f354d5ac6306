package io.quorate.loopback;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Ports of the loopback address for servers whose addresses are known before they listen, and which
 * stop and listen again. They are below the range from which systems take the ports of outgoing
 * connections: there, a server that restarts could find its port taken. Processes share them in
 * blocks; whoever listens on the first port of a block has the others.
 */
public final class LoopbackPorts {
  public static final int LOWEST = 12_000;
  public static final int COUNT = 20_000;

  private static final int BLOCK = 100;
  private static final int BLOCKS_AT_MOST = 20;

  private static final LoopbackPorts PROCESS = new LoopbackPorts(BLOCKS_AT_MOST);

  private final int blocksAtMost;
  private final List<ServerSocket> owned = new ArrayList<>();
  private final Deque<Integer> ports = new ArrayDeque<>();
  private int fresh;

  LoopbackPorts(int blocksAtMost) {
    this.blocksAtMost = blocksAtMost;
  }

  /**
   * A port on which nobody listens, and which no process is given that asks here. It is not given
   * again before some two thousand others.
   *
   * @throws IllegalStateException where there is none
   */
  public static int next() {
    return PROCESS.take();
  }

  /** Whether a server could listen on this port now. */
  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(address(port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  synchronized int take() {
    while (fresh > 0 || (owned.size() < blocksAtMost && ownAnotherBlock())) {
      int port = ports.removeFirst();
      ports.addLast(port);
      fresh--;
      if (isFree(port)) {
        return port;
      }
    }
    for (int i = 0; i < ports.size(); i++) {
      int port = ports.removeFirst();
      ports.addLast(port);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException(
        "There is no free TCP port from " + LOWEST + " to " + (LOWEST + COUNT - 1) + ".");
  }

  private boolean ownAnotherBlock() {
    List<Integer> blocks = new ArrayList<>(IntStream.range(0, COUNT / BLOCK).boxed().toList());
    Collections.shuffle(blocks, new Random());
    for (int block : blocks) {
      int first = LOWEST + block * BLOCK;
      ServerSocket guard = listening(first);
      if (guard != null) {
        owned.add(guard);
        for (int port = first + BLOCK - 1; port > first; port--) {
          ports.addFirst(port);
          fresh++;
        }
        return true;
      }
    }
    return false;
  }

  /** Is released by the end of the process, however it ends. */
  private static ServerSocket listening(int port) {
    try {
      return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      return null;
    }
  }

  void release() throws IOException {
    for (ServerSocket guard : owned) {
      guard.close();
    }
  }

  private static InetSocketAddress address(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }
}
