package io.quorate.torture.testbed.network;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Relays in front of every node of a cluster of processes, one for its clients and two for the
 * other nodes, so that each link can be cut, or delayed, in each direction. The nodes listen on
 * 127.0.0.1, and are configured with other loopback addresses for each other, where the relays
 * listen on the same ports.
 *
 * <p>Thread-safe. Requires a system where all of 127.0.0.0/8 is this machine and {@code /proc}
 * shows the process of a connection, from which a relay derives the source node.
 */
public final class Network implements AutoCloseable {
  private final List<Relay> relays = new ArrayList<>();
  private final List<Cut> cuts = new CopyOnWriteArrayList<>();
  private final List<BitFlips> flips = new CopyOnWriteArrayList<>();
  private final Set<Relay.Connection> connections = ConcurrentHashMap.newKeySet();
  private final Delays delays;
  private final Bandwidth bandwidth;
  private volatile boolean closed;

  private Network(Delays delays, Bandwidth bandwidth) {
    this.delays = delays;
    this.bandwidth = bandwidth;
  }

  /** The reason why this system cannot run such a network, as a clause; empty if it can. */
  public static Optional<String> obstacle() {
    return ConnectionSources.isSupported()
        ? Optional.empty()
        : Optional.of("it needs Linux, where all of 127.0.0.0/8 is local and /proc exists");
  }

  /** Returns a copy of the plan in which the nodes have the addresses of the relays. */
  public static ClusterPlan relayed(ClusterPlan plan) {
    List<NodeId> ids = plan.nodes().stream().map(NodePlan::id).toList();
    return plan.withHosts(id -> "127.0.1." + (ids.indexOf(id) + 1));
  }

  /**
   * Starts the relays of a cluster whose plan is from {@link #relayed}.
   *
   * @throws IOException if a relay cannot listen on its port; then no relay is left
   */
  public static Network of(ProcessCluster cluster) throws IOException {
    return of(cluster, Delays.NONE);
  }

  /**
   * Starts the relays, and delays every link. Bandwidth is not limited.
   *
   * @param delays called for each chunk that is read from a connection
   */
  public static Network of(ProcessCluster cluster, Delays delays) throws IOException {
    return start(new Network(delays, Bandwidth.UNLIMITED), cluster);
  }

  /** Starts the relays, and limits what each node sends and receives. Nothing is delayed. */
  public static Network of(ProcessCluster cluster, Bandwidth bandwidth) throws IOException {
    return start(new Network(Delays.NONE, bandwidth), cluster);
  }

  private static Network start(Network network, ProcessCluster cluster) throws IOException {
    ConnectionSources sources = new ConnectionSources(cluster.nodes());
    try {
      for (NodePlan node : cluster.plan().nodes()) {
        network.relays.add(
            new Relay(network, node, node.clientPort(), port -> Optional.of(Link.CLIENTS)));
        network.relays.add(
            new Relay(
                network,
                node,
                node.consensusPort(),
                port -> sources.nodeOf(port, node.consensusPort())));
      }
      network.relays.forEach(Relay::start);
      return network;
    } catch (IOException e) {
      network.close();
      throw e;
    }
  }

  /** Cuts links until {@link #restore}. */
  public void cut(Cut cut) {
    cuts.add(cut);
    if (cut.mode() == Cut.Mode.RESET) {
      reset(cut.links());
    }
  }

  /** Ends a cut. A link transmits again when no other cut contains it. */
  public synchronized void restore(Cut cut) {
    cuts.remove(cut);
    notifyAll();
  }

  /** Flips bits until {@link #end}. */
  public void begin(BitFlips flip) {
    flips.add(flip);
  }

  /** Flips no more of these bits. Bytes that pass now may still be altered. */
  public void end(BitFlips flip) {
    flips.remove(flip);
  }

  /** Alters the first bytes of a chunk that passes a link, if bits are to be flipped there. */
  void alter(Link link, byte[] chunk, int length) {
    for (BitFlips flip : flips) {
      flip.pass(link, chunk, length);
    }
  }

  /** Breaks every connection that uses one of these links. Data in flight on it is lost. */
  public void reset(Set<Link> links) {
    for (Relay.Connection connection : connections) {
      if (connection.uses(links)) {
        connection.close();
      }
    }
  }

  Delays delays() {
    return delays;
  }

  /** Blocks until so many bytes have passed the link, whose bandwidth may be limited. */
  void transmit(Link link, int bytes) throws InterruptedException {
    bandwidth.transmit(link, bytes);
  }

  /** Whether {@link #close} has not been called yet. */
  boolean isOpen() {
    return !closed;
  }

  /** Blocks while the link is held. */
  void awaitPassable(Link link) throws InterruptedException {
    if (cuts.isEmpty()) {
      return;
    }
    synchronized (this) {
      while (!closed && isCut(link, Cut.Mode.HELD)) {
        wait();
      }
    }
  }

  boolean isReset(Link link) {
    return isCut(link, Cut.Mode.RESET);
  }

  private boolean isCut(Link link, Cut.Mode mode) {
    return cuts.stream().anyMatch(cut -> cut.mode() == mode && cut.links().contains(link));
  }

  void opened(Relay.Connection connection) {
    connections.add(connection);
  }

  void ended(Relay.Connection connection) {
    connections.remove(connection);
  }

  /** Breaks every connection and stops listening. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      for (Relay relay : relays) {
        relay.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      connections.forEach(Relay.Connection::close);
    }
  }
}
