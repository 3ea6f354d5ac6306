package io.quorate.benchmarks.cluster;

import io.quorate.consensus.NodeId;
import io.quorate.server.dev.ClusterPlan;
import io.quorate.server.dev.ProcessCluster;
import io.quorate.server.verification.network.Link;
import io.quorate.server.verification.network.Network;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Every node on a site of its own, and all clients on that of the first: what travels between two
 * sites is held for a while by relays in this process. They keep the order and have no bound on
 * bandwidth.
 */
public final class WideArea {
  private static final NodeId CLIENTS_ARE_WITH = new NodeId("n1");

  private volatile Duration oneWay = Duration.ZERO;

  /** Why there can be no such thing here; empty if there can. */
  public static Optional<String> obstacle() {
    return Network.obstacle();
  }

  /** The node on the site of the clients. */
  public static NodeId nearestNode() {
    return CLIENTS_ARE_WITH;
  }

  /** Changes the delay between any two sites, in each direction, from now on. */
  public void delay(Duration each) {
    oneWay = each;
  }

  /** The same cluster, whose nodes look for each other where relays will be. */
  public ClusterPlan spread(ClusterPlan plan) {
    return Network.relayed(plan);
  }

  /**
   * Begins to pass on what the nodes of a cluster that was {@link #spread} send each other. The
   * caller closes it after the cluster.
   */
  public Network connect(ProcessCluster cluster) throws IOException {
    return Network.of(cluster, this::delayOf);
  }

  private Duration delayOf(Link link) {
    return site(link.from()).equals(site(link.to())) ? Duration.ZERO : oneWay;
  }

  private static NodeId site(NodeId at) {
    return at.equals(Link.CLIENTS) ? CLIENTS_ARE_WITH : at;
  }
}
