package io.quorate.server.verification.network;

import io.quorate.consensus.NodeId;
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
 * Relays in front of every node of a cluster of processes, one for its clients and one for the
 * other nodes, so that each link can be cut, or delayed, in each direction. The nodes listen on
 * 127.0.0.1, and are told to look for each other on other loopback addresses, where the relays
 * listen on the same ports.
 *
 * <p>Safe for use by many threads. Needs a system where all of 127.0.0.0/8 is this machine and
 * {@code /proc} tells which process a connection belongs to, which is how a relay knows who calls.
 */
public final class Network implements AutoCloseable {
  private final List<Relay> relays = new ArrayList<>();
  private final List<Cut> cuts = new CopyOnWriteArrayList<>();
  private final Set<Relay.Passage> passages = ConcurrentHashMap.newKeySet();
  private final Delays delays;
  private volatile boolean closed;

  private Network(Delays delays) {
    this.delays = delays;
  }

  /** Why there can be no such network here; empty if there can. */
  public static Optional<String> obstacle() {
    return Callers.areKnownHere()
        ? Optional.empty()
        : Optional.of("it needs Linux, where all of 127.0.0.0/8 is local and /proc is there");
  }

  /** The same cluster, whose nodes look for each other where relays will be. */
  public static ClusterPlan relayed(ClusterPlan plan) {
    List<NodeId> ids = plan.nodes().stream().map(NodePlan::id).toList();
    return plan.withHosts(id -> "127.0.1." + (ids.indexOf(id) + 1));
  }

  /**
   * Starts to pass on what arrives for the nodes of a {@link #relayed} cluster.
   *
   * @throws IOException if a port cannot be listened on; then no relay is left
   */
  public static Network of(ProcessCluster cluster) throws IOException {
    return of(cluster, Delays.NONE);
  }

  /**
   * The same, with every link delayed. Bandwidth has no bound.
   *
   * @param delays asked for each piece that is read from a connection
   */
  public static Network of(ProcessCluster cluster, Delays delays) throws IOException {
    Network network = new Network(delays);
    Callers callers = new Callers(cluster.nodes());
    try {
      for (NodePlan node : cluster.plan().nodes()) {
        network.relays.add(
            new Relay(network, node, node.clientPort(), port -> Optional.of(Link.CLIENTS)));
        network.relays.add(
            new Relay(
                network,
                node,
                node.consensusPort(),
                port -> callers.nodeAt(port, node.consensusPort())));
      }
      network.relays.forEach(Relay::start);
      return network;
    } catch (IOException e) {
      network.close();
      throw e;
    }
  }

  /** Cuts links until {@link #mend}. */
  public void cut(Cut cut) {
    cuts.add(cut);
    if (cut.manner() == Cut.Manner.RESET) {
      reset(cut.links());
    }
  }

  /** Ends a cut; a link goes on when no other cut concerns it. */
  public synchronized void mend(Cut cut) {
    cuts.remove(cut);
    notifyAll();
  }

  /** Breaks every connection that uses one of these links, with what is under way in it. */
  public void reset(Set<Link> links) {
    for (Relay.Passage passage : passages) {
      if (passage.uses(links)) {
        passage.close();
      }
    }
  }

  Delays delays() {
    return delays;
  }

  /** Whether this network is in use. */
  boolean isOpen() {
    return !closed;
  }

  /** Blocks while the link is held. */
  void awaitPassable(Link link) throws InterruptedException {
    if (cuts.isEmpty()) {
      return;
    }
    synchronized (this) {
      while (!closed && isCut(link, Cut.Manner.HELD)) {
        wait();
      }
    }
  }

  boolean isReset(Link link) {
    return isCut(link, Cut.Manner.RESET);
  }

  private boolean isCut(Link link, Cut.Manner manner) {
    return cuts.stream().anyMatch(cut -> cut.manner() == manner && cut.links().contains(link));
  }

  void opened(Relay.Passage passage) {
    passages.add(passage);
  }

  void ended(Relay.Passage passage) {
    passages.remove(passage);
  }

  /** Breaks every connection and listens no more. */
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
      passages.forEach(Relay.Passage::close);
    }
  }
}
