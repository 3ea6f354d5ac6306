package io.quorate.common;

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
 * Assigns TCP ports of the loopback address to servers whose addresses must be known before they
 * listen, and which may stop and listen again on the same port. The ports are below the range that
 * operating systems use for outgoing connections; in that range, the port of a server could be
 * taken while it restarts. Processes divide the ports in blocks: the process that listens on the
 * first port of a block owns the others. Thread-safe.
 */
public final class LoopbackPorts {
  /** The lowest port of all blocks. */
  public static final int LOWEST = 12_000;

  /** The number of ports in all blocks. */
  public static final int COUNT = 20_000;

  private static final int BLOCK_PORTS = 100;
  private static final int BLOCKS_MAX = 20;

  private static final LoopbackPorts PROCESS = new LoopbackPorts(BLOCKS_MAX);

  private final int blocksMax;
  private final List<ServerSocket> guards = new ArrayList<>();
  private final Deque<Integer> ports = new ArrayDeque<>();
  private int unused;

  LoopbackPorts(int blocksMax) {
    this.blocksMax = blocksMax;
  }

  /**
   * A port on which no server listens and that no other process gets from this class. This process
   * gets it again only after about two thousand other ports. May block on system calls.
   *
   * @throws IllegalStateException if no port is free
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
    while (unused > 0 || (guards.size() < blocksMax && acquireBlock())) {
      int port = ports.removeFirst();
      ports.addLast(port);
      unused--;
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

  private boolean acquireBlock() {
    List<Integer> blocks =
        new ArrayList<>(IntStream.range(0, COUNT / BLOCK_PORTS).boxed().toList());
    Collections.shuffle(blocks, new Random());
    for (int block : blocks) {
      int first = LOWEST + block * BLOCK_PORTS;
      ServerSocket guard = tryListen(first);
      if (guard != null) {
        guards.add(guard);
        for (int port = first + BLOCK_PORTS - 1; port > first; port--) {
          ports.addFirst(port);
          unused++;
        }
        return true;
      }
    }
    return false;
  }

  /**
   * Acquires a block by listening on its first port. The operating system releases it when the
   * process ends, however it ends.
   *
   * @return null if another process listens on the port
   */
  private static ServerSocket tryListen(int port) {
    try {
      return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      return null;
    }
  }

  void release() throws IOException {
    for (ServerSocket guard : guards) {
      guard.close();
    }
  }

  private static InetSocketAddress address(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }
}
