package io.quorate.server.access;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeToNode;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.common.DecodeException;
import io.quorate.common.LogLimit;
import io.quorate.protocol.wire.v1.AccessRequest;
import io.quorate.protocol.wire.v1.AccessResponse;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the users and roles of this node up to date: from its replica of region 0, and from other
 * nodes if it has none, or one that may be behind. Run several times a second by one thread, which
 * it blocks for some seconds if no node responds.
 */
public final class AccessFollower implements Runnable {
  /** So that a change is in force everywhere within a second. */
  public static final Duration INTERVAL = Duration.ofMillis(300);

  private static final Logger LOG = LoggerFactory.getLogger(AccessFollower.class);
  private static final byte[] NO_ROW = {};
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final LogLimit failing = LogLimit.oneAMinute();
  private final AccessState access;
  private final ClusterTopology topology;
  private final List<NodeAddress> configured;
  private final AsyncQuorateClient client;

  /** What was read last; null before. */
  private byte[] latest;

  /**
   * @param configured the other nodes of the configuration, for as long as no topology is known: a
   *     node that is to be accepted, or is not any more, is asked by an operator who it is
   * @param client of all nodes
   */
  public AccessFollower(
      AccessState access,
      ClusterTopology topology,
      List<NodeAddress> configured,
      AsyncQuorateClient client) {
    this.access = access;
    this.topology = topology;
    this.configured = List.copyOf(configured);
    this.client = client;
  }

  @Override
  public void run() {
    try {
      Optional<MetadataRegion> local =
          topology.hosted(RegionAssignment.METADATA).map(MetadataRegion::new);
      Optional<StoredTopology> stored = topology.stored();
      if (stored.isPresent()) {
        local.ifPresent(this::read);
      }
      if (local.filter(MetadataRegion::isUpToDate).isEmpty()) {
        ask(stored.map(this::hosts).orElse(configured));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | UncheckedIOException | DecodeException e) {
      if (topology.stored().isEmpty()) {
        // There may be no cluster yet, and nobody is served before.
        return;
      }
      failing.log(
          leftOut ->
              LOG.atWarn()
                  .addKeyValue("reason", e.toString())
                  .log(
                      "Changes of users and roles do not arrive; the former ones stay in force{}",
                      LogLimit.text(leftOut)));
    }
  }

  /** A row that has not changed is not decoded again. */
  private void read(MetadataRegion region) {
    byte[] row = region.access().read().orElse(NO_ROW);
    if (!Arrays.equals(row, latest)) {
      access.learn(row.length == 0 ? AccessRules.EMPTY : AccessRules.parse(row));
      latest = row;
    }
  }

  private List<NodeAddress> hosts(StoredTopology stored) {
    return stored.nodes().stream()
        .filter(entry -> !entry.id().equals(topology.self()) && stored.metadata().isOn(entry.id()))
        .map(entry -> new NodeAddress(entry.node().host(), entry.node().clientPort()))
        .toList();
  }

  private void ask(List<NodeAddress> hosts)
      throws InterruptedException, ExecutionException, TimeoutException {
    AccessRequest.Builder request = AccessRequest.newBuilder();
    access.rules().map(AccessRules::version).ifPresent(request::setKnownVersion);
    NodeToNode.access(client, hosts, request.build())
        .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .filter(AccessResponse::hasRules)
        .map(response -> AccessRules.of(response.getRules()))
        .ifPresent(access::learn);
  }
}
