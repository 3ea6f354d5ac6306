package io.quorate.torture.testbed.network;

import io.quorate.model.NodeId;
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

/** Accepts connections to one port of a node and forwards data while their links are not cut. */
final class Relay {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int CONNECTIONS_WAITING_MAX = 128;

  private final Network network;
  private final NodePlan node;
  private final int port;
  private final SourceLookup sources;
  private final ServerSocket listening = new ServerSocket();

  /** Finds the source of a connection by its port; empty if the source is unknown. */
  interface SourceLookup {
    Optional<NodeId> sourceOf(int port) throws IOException;
  }

  Relay(Network network, NodePlan node, int port, SourceLookup sources) throws IOException {
    this.network = network;
    this.node = node;
    this.port = port;
    this.sources = sources;
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
        Socket inbound = listening.accept();
        background("relay-" + node.id() + "-connection", () -> relay(inbound));
      } catch (IOException e) {
        // The relay was closed, or the connection ended before it was accepted.
        continue;
      }
    }
  }

  private void relay(Socket inbound) {
    try (inbound) {
      Optional<NodeId> source = sources.sourceOf(inbound.getPort());
      if (source.isEmpty()) {
        return;
      }
      Link toNode = new Link(source.get(), node.id());
      Link fromNode = new Link(node.id(), source.get());
      // No connection can be established while one of its directions is held.
      network.awaitPassable(toNode);
      network.awaitPassable(fromNode);
      if (network.isReset(toNode) || network.isReset(fromNode)) {
        return;
      }
      try (Socket outbound = new Socket(ClusterPlan.HOST, port)) {
        inbound.setTcpNoDelay(true);
        outbound.setTcpNoDelay(true);
        new Connection(inbound, outbound, toNode, fromNode).run();
      }
    } catch (IOException e) {
      // One side is gone; closing the sockets signals this to the other side.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One connection through this relay. */
  final class Connection {
    private final Socket inbound;
    private final Socket outbound;
    private final Link toNode;
    private final Link fromNode;

    private Connection(Socket inbound, Socket outbound, Link toNode, Link fromNode) {
      this.inbound = inbound;
      this.outbound = outbound;
      this.toNode = toNode;
      this.fromNode = fromNode;
    }

    private void run() throws InterruptedException {
      network.opened(this);
      try {
        // A later cut finds this connection in the network; an earlier one is detected here.
        if (network.isReset(toNode) || network.isReset(fromNode) || !network.isOpen()) {
          return;
        }
        Thread responses =
            background(
                "relay-" + node.id() + "-responses", () -> copy(outbound, inbound, fromNode));
        copy(inbound, outbound, toNode);
        responses.join();
      } finally {
        network.ended(this);
        close();
      }
    }

    private void copy(Socket from, Socket to, Link link) {
      if (network.delays() == Delays.NONE) {
        forward(from, to, link);
      } else {
        forwardDelayed(from, to, link);
      }
    }

    private void forward(Socket from, Socket to, Link link) {
      byte[] chunk = new byte[CHUNK_BYTES];
      try {
        InputStream in = from.getInputStream();
        int length;
        while ((length = in.read(chunk)) >= 0) {
          network.awaitPassable(link);
          network.transmit(link, length);
          network.alter(link, chunk, length);
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

    /** Reads data on this thread; a second thread writes each chunk when it is due. */
    private void forwardDelayed(Socket from, Socket to, Link link) {
      DelayLine line = new DelayLine();
      Thread arrivals = background("relay-" + node.id() + "-arrivals", () -> deliver(line, to));
      byte[] chunk = new byte[CHUNK_BYTES];
      try {
        InputStream in = from.getInputStream();
        int length;
        while ((length = in.read(chunk)) >= 0) {
          network.awaitPassable(link);
          network.alter(link, chunk, length);
          long nanos = network.delays().of(link).toNanos();
          if (!line.send(Arrays.copyOf(chunk, length), nanos)) {
            return;
          }
        }
        network.awaitPassable(link);
        line.end();
        // The connection is closed after this; data in flight must have arrived before.
        arrivals.join();
      } catch (IOException e) {
        close();
        line.end();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        close();
        line.end();
      }
    }

    private void deliver(DelayLine line, Socket to) {
      try {
        byte[] chunk = line.receive();
        while (chunk.length > 0) {
          to.getOutputStream().write(chunk);
          chunk = line.receive();
        }
        to.shutdownOutput();
      } catch (IOException e) {
        close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        close();
      } finally {
        line.abandon();
      }
    }

    boolean uses(Set<Link> links) {
      return links.contains(toNode) || links.contains(fromNode);
    }

    void close() {
      closeQuietly(inbound);
      closeQuietly(outbound);
    }

    private void closeQuietly(Socket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        // A socket that cannot be closed cannot be used either.
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
