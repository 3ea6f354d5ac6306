package io.quorate.torture.testbed.network;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Simulates a wide area network: every node is on its own site, and all clients are on the site of
 * the first node. Relays in this process delay messages between two sites. They preserve the order
 * and do not limit the bandwidth.
 */
public final class WideArea {
  private static final NodeId CLIENT_SITE = new NodeId("n1");

  private volatile Duration oneWay = Duration.ZERO;

  /** The reason why this system cannot run such a network; empty if it can. */
  public static Optional<String> obstacle() {
    return Network.obstacle();
  }

  /** Returns the node on the site of the clients. */
  public static NodeId nearestNode() {
    return CLIENT_SITE;
  }

  /** Sets the delay between any two sites, in each direction, from now on. */
  public void delay(Duration each) {
    oneWay = each;
  }

  /** Returns a copy of the plan in which the nodes connect to each other through relays. */
  public ClusterPlan spread(ClusterPlan plan) {
    return Network.relayed(plan);
  }

  /**
   * Starts the relays between the nodes of a cluster whose plan is from {@link #spread}. The caller
   * closes them after the cluster.
   */
  public Network connect(ProcessCluster cluster) throws IOException {
    return Network.of(cluster, this::delayOf);
  }

  private Duration delayOf(Link link) {
    return site(link.from()).equals(site(link.to())) ? Duration.ZERO : oneWay;
  }

  private static NodeId site(NodeId at) {
    return at.equals(Link.CLIENTS) ? CLIENT_SITE : at;
  }
}
