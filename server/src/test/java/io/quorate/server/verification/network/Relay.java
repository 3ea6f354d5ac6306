package io.quorate.server.verification.network;

import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.NodePlan;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/** Takes connections meant for one port of a node and passes on what the network lets through. */
final class Relay {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int CONNECTIONS_WAITING_MAX = 128;

  private final Network network;
  private final NodePlan node;
  private final int port;
  private final CallerLookup callers;
  private final ServerSocket listening = new ServerSocket();

  /** Finds out who is at the other end of a connection; empty for a stranger. */
  interface CallerLookup {
    Optional<NodeId> at(int port) throws IOException;
  }

  Relay(Network network, NodePlan node, int port, CallerLookup callers) throws IOException {
    this.network = network;
    this.node = node;
    this.port = port;
    this.callers = callers;
    listening.setReuseAddress(true);
    listening.bind(new InetSocketAddress(node.host(), port), CONNECTIONS_WAITING_MAX);
  }

  void start() {
    background("relay-" + node.id(), this::accept);
  }

  void close() throws IOException {
    listening.close();
  }

  private void accept() {
    while (network.isOpen()) {
      try {
        Socket caller = listening.accept();
        background("relay-" + node.id() + "-connection", () -> pass(caller));
      } catch (IOException e) {
        // The relay was closed, or the caller left before it was heard.
        continue;
      }
    }
  }

  private void pass(Socket caller) {
    try (caller) {
      Optional<NodeId> from = callers.at(caller.getPort());
      if (from.isEmpty()) {
        return;
      }
      Link there = new Link(from.get(), node.id());
      Link back = new Link(node.id(), from.get());
      // As long as it is held in either direction, a connection cannot be made.
      network.awaitPassable(there);
      network.awaitPassable(back);
      if (network.isReset(there) || network.isReset(back)) {
        return;
      }
      try (Socket called = new Socket(ClusterPlan.HOST, port)) {
        caller.setTcpNoDelay(true);
        called.setTcpNoDelay(true);
        new Passage(caller, called, there, back).run();
      }
    } catch (IOException e) {
      // Either side is gone, which the other one learns by the close.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One connection through this relay. */
  final class Passage {
    private final Socket caller;
    private final Socket called;
    private final Link there;
    private final Link back;

    private Passage(Socket caller, Socket called, Link there, Link back) {
      this.caller = caller;
      this.called = called;
      this.there = there;
      this.back = back;
    }

    private void run() throws InterruptedException {
      network.opened(this);
      try {
        // Seen by whoever cuts from here on; what was cut a moment before is seen here.
        if (network.isReset(there) || network.isReset(back) || !network.isOpen()) {
          return;
        }
        Thread answers =
            background("relay-" + node.id() + "-answers", () -> copy(called, caller, back));
        copy(caller, called, there);
        answers.join();
      } finally {
        network.ended(this);
        close();
      }
    }

    private void copy(Socket from, Socket to, Link link) {
      if (network.delays() == Delays.NONE) {
        pass(from, to, link);
      } else {
        delay(from, to, link);
      }
    }

    private void pass(Socket from, Socket to, Link link) {
      byte[] chunk = new byte[CHUNK_BYTES];
      try {
        InputStream in = from.getInputStream();
        int length;
        while ((length = in.read(chunk)) >= 0) {
          network.awaitPassable(link);
          to.getOutputStream().write(chunk, 0, length);
        }
        network.awaitPassable(link);
        to.shutdownOutput();
      } catch (IOException e) {
        close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        close();
      }
    }

    /** One thread reads while another one waits until what was read is due. */
    private void delay(Socket from, Socket to, Link link) {
      Flight flight = new Flight();
      Thread arrivals = background("relay-" + node.id() + "-arrivals", () -> land(flight, to));
      byte[] chunk = new byte[CHUNK_BYTES];
      try {
        InputStream in = from.getInputStream();
        int length;
        while ((length = in.read(chunk)) >= 0) {
          network.awaitPassable(link);
          long nanos = network.delays().of(link).toNanos();
          if (!flight.send(Arrays.copyOf(chunk, length), nanos)) {
            return;
          }
        }
        network.awaitPassable(link);
        flight.end();
        // The connection is closed after this, and what is on its way must have arrived before.
        arrivals.join();
      } catch (IOException e) {
        close();
        flight.end();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        close();
        flight.end();
      }
    }

    private void land(Flight flight, Socket to) {
      try {
        byte[] piece = flight.receive();
        while (piece.length > 0) {
          to.getOutputStream().write(piece);
          piece = flight.receive();
        }
        to.shutdownOutput();
      } catch (IOException e) {
        close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        close();
      } finally {
        flight.abandon();
      }
    }

    boolean uses(Set<Link> links) {
      return links.contains(there) || links.contains(back);
    }

    void close() {
      quietly(caller);
      quietly(called);
    }

    private void quietly(Socket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        // There is nothing left to do for a socket that cannot even be closed.
        return;
      }
    }
  }

  private static Thread background(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
