package io.quorate.server.topology;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.NodeToNode;
import io.quorate.consensus.NodeId;
import io.quorate.server.config.ClusterConfig;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Requests the topology from other nodes, for a node that has no replica of region 0. */
public final class PeerTopologySource implements TopologySource {
  private static final Logger LOG = LoggerFactory.getLogger(PeerTopologySource.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final AsyncQuorateClient client;

  /**
   * @param client of the other nodes, which the caller closes
   */
  public PeerTopologySource(AsyncQuorateClient client) {
    this.client = client;
  }

  /**
   * A client of all nodes of the cluster, this one last. Its attempts fail before {@link #look}
   * does.
   *
   * @param self this node
   */
  public static AsyncQuorateClient newClient(ClusterConfig cluster, NodeId self) {
    String seeds =
        cluster.nodes().stream()
            .sorted(Comparator.comparing(node -> node.id().equals(self)))
            .map(node -> node.host() + ":" + node.clientPort())
            .collect(Collectors.joining(","));
    return AsyncQuorateClient.open(
        ClientOptions.builder(seeds)
            .clusterId(cluster.id().value())
            .clientName("node " + self)
            .attemptTimeout(TIMEOUT.dividedBy(4))
            .build());
  }

  @Override
  public Optional<StoredTopology> look() throws InterruptedException {
    try {
      return NodeToNode.topology(client)
          .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
          .map(TopologyMessages::stored);
    } catch (ExecutionException | TimeoutException e) {
      LOG.atInfo().addKeyValue("error", e).log("No other node has returned the topology yet");
      return Optional.empty();
    }
  }
}
