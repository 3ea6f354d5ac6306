package io.quorate.server.localcluster;

import io.quorate.common.Failpoint;
import io.quorate.model.NodeId;
import io.quorate.model.PeerLink;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Faults of the embedded nodes of this JVM, of all its clusters: their failpoints are shared. They
 * are off while no node has a fault. Any thread; nothing blocks.
 */
final class EmbeddedFaults {
  private static final Failpoint RESPONSE = Failpoint.named("rpc.reply.before");
  private static final Failpoint FRAME = Failpoint.named("transport.frame.received");

  /** The client ports of the nodes whose responses are lost. */
  private static final Set<Integer> SILENT = ConcurrentHashMap.newKeySet();

  private static final Set<Member> ISOLATED = ConcurrentHashMap.newKeySet();

  private record Member(UUID cluster, NodeId node) {}

  private EmbeddedFaults() {}

  static synchronized void dropResponses(NodePlan node) {
    SILENT.add(node.clientPort());
    RESPONSE.on(
        (point, address) -> {
          if (SILENT.contains(((InetSocketAddress) address).getPort())) {
            throw new IOException("The response is lost.");
          }
        });
  }

  static synchronized void isolate(UUID cluster, NodePlan node) {
    ISOLATED.add(new Member(cluster, node.id()));
    FRAME.on((point, link) -> loseIfIsolated((PeerLink) link));
  }

  private static void loseIfIsolated(PeerLink link) throws IOException {
    if (ISOLATED.contains(new Member(link.cluster(), link.from()))
        || ISOLATED.contains(new Member(link.cluster(), link.to()))) {
      throw new IOException("The frame is lost.");
    }
  }

  /** Ends the faults of the nodes of a cluster. */
  static synchronized void heal(UUID cluster, ClusterPlan plan) {
    for (NodePlan node : plan.nodes()) {
      SILENT.remove(node.clientPort());
      ISOLATED.remove(new Member(cluster, node.id()));
    }
    if (SILENT.isEmpty()) {
      RESPONSE.off();
    }
    if (ISOLATED.isEmpty()) {
      FRAME.off();
    }
  }
}
