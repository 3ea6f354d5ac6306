package io.quorate.server.topology;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.NodeToNode;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.common.HostPort;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests the topology from other nodes, for a node that has no replica of region 0: first from
 * those that have one, as far as it knows. Any other node may be as far behind. A node that had a
 * replica of region 0 has learnt from it which nodes have received one instead, so that this leads
 * to the present topology. The node itself is never queried: it knows nothing newer.
 */
public final class PeerTopologySource implements TopologySource {
  private static final Logger LOG = LoggerFactory.getLogger(PeerTopologySource.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final ClusterTopology topology;
  private final List<NodeAddress> configured;
  private final AsyncQuorateClient client;

  /**
   * @param configured the other nodes of the configuration, for as long as no topology is known
   * @param client of the other nodes, which the caller closes
   */
  public PeerTopologySource(
      ClusterTopology topology, List<NodeAddress> configured, AsyncQuorateClient client) {
    this.topology = topology;
    this.configured = List.copyOf(configured);
    this.client = client;
  }

  /**
   * A client of all nodes of the cluster, this one last. Its attempts fail before {@link #look}
   * does.
   *
   * @param self this node
   * @param certificates of this node
   */
  public static AsyncQuorateClient newClient(
      ClusterConfig cluster, NodeId self, Optional<Path> certificates) {
    String seeds =
        cluster.nodes().stream()
            .sorted(Comparator.comparing(node -> node.id().equals(self)))
            .map(node -> HostPort.text(node.host(), node.clientPort()))
            .collect(Collectors.joining(","));
    ClientOptions.Builder options =
        ClientOptions.builder(seeds)
            .clusterId(cluster.id().value())
            .clientName("node " + self)
            .attemptTimeout(TIMEOUT.dividedBy(4));
    certificates.ifPresent(options::certificates);
    return AsyncQuorateClient.open(options.build());
  }

  @Override
  public Optional<StoredTopology> look() throws InterruptedException {
    Optional<StoredTopology> known = topology.stored();
    Set<NodeAddress> others = new LinkedHashSet<>(configured);
    known.ifPresent(stored -> others.addAll(addresses(stored, node -> true)));
    List<NodeAddress> hosts =
        known.map(stored -> addresses(stored, stored.metadata()::isOn)).orElse(List.of());
    others.removeAll(hosts);
    try {
      return NodeToNode.topology(client, hosts)
          .thenCompose(
              found ->
                  found.isPresent()
                      ? CompletableFuture.completedFuture(found)
                      : NodeToNode.topology(client, others))
          .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
          .map(TopologyMessages::stored);
    } catch (ExecutionException | TimeoutException e) {
      LOG.atInfo().addKeyValue("error", e).log("No other node has returned the topology yet");
      return Optional.empty();
    }
  }

  private List<NodeAddress> addresses(StoredTopology stored, Predicate<NodeId> which) {
    return stored.nodes().stream()
        .filter(entry -> !entry.id().equals(topology.self()) && which.test(entry.id()))
        .map(entry -> new NodeAddress(entry.node().host(), entry.node().clientPort()))
        .toList();
  }
}
