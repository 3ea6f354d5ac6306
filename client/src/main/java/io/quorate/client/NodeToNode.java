package io.quorate.client;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.RegionAdministration;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.client.internal.AsyncClient;
import io.quorate.client.internal.admin.ClusterStatusCollector;
import io.quorate.client.internal.admin.NodeChangeRequests;
import io.quorate.client.internal.admin.RegionChangeRequests;
import io.quorate.client.internal.connection.AdminCall;
import io.quorate.client.internal.connection.ConnectionPool;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RegionDigest;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.AccessRequest;
import io.quorate.protocol.wire.v1.AccessResponse;
import io.quorate.protocol.wire.v1.Digest;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.Replica;
import io.quorate.protocol.wire.v1.StatusRequest;
import io.quorate.protocol.wire.v1.Topology;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What nodes request from each other by this client, in the message format of nodes. Applications
 * have no use for it. No method blocks.
 */
public final class NodeToNode {
  private NodeToNode() {}

  /**
   * Queries nodes one after the other, first those to which there is a connection, until one
   * responds with a topology. Does not block; does not fail because of a node.
   *
   * @return the topology; empty if no node has responded with one
   */
  public static CompletableFuture<Optional<Topology>> topology(
      AsyncQuorateClient client, Collection<NodeAddress> nodes) {
    return first(
        client,
        nodes,
        Opcode.TOPOLOGY,
        Topology.getDefaultInstance(),
        Topology.parser(),
        found -> found.getRegionsCount() > 0);
  }

  /**
   * Sends nodes, as {@link #topology}, a request for the users and roles, or those that were
   * stored, until one has responded.
   */
  public static CompletableFuture<Optional<AccessResponse>> access(
      AsyncQuorateClient client, Collection<NodeAddress> nodes, AccessRequest request) {
    return first(client, nodes, Opcode.ACCESS, request, AccessResponse.parser(), response -> true);
  }

  /**
   * Registers what a node reports of itself: its disk, if it has registered none, its addresses and
   * its labels. Fails as the methods of {@link NodeAdministration}.
   */
  public static CompletableFuture<Void> register(AsyncQuorateClient client, Node node) {
    return new NodeChangeRequests(AsyncClient.caller(client), false)
        .register(node)
        .thenApply(changes -> null);
  }

  /** Lets the client of a node use nodes of the founding of its cluster alone from now on. */
  public static void pin(AsyncQuorateClient client, UUID founding) {
    AsyncClient.caller(client)
        .context()
        .onLoop(
            context -> {
              context.pin(founding);
              return CompletableFuture.completedFuture(null);
            });
  }

  /**
   * Why a node was refused last that belongs to another founding of the cluster, as a phrase; empty
   * if none was.
   */
  public static CompletableFuture<Optional<String>> foundingRefusal(AsyncQuorateClient client) {
    return AsyncClient.caller(client)
        .context()
        .onLoop(context -> CompletableFuture.completedFuture(context.foundingRefusal()));
  }

  /**
   * Returns what {@link AsyncQuorateClient#status} does, without replicas, topologies and decisions
   * of placement, which are most of it in a large cluster.
   */
  public static CompletableFuture<ClusterStatus> summary(AsyncQuorateClient client) {
    StatusRequest request = StatusRequest.newBuilder().setSummary(true).build();
    return AsyncClient.caller(client)
        .context()
        .onLoop(context -> ClusterStatusCollector.of(context, request));
  }

  /**
   * Requests the committed positions of the replicas of a node, by their regions. Fails with {@link
   * UnavailableException} if the node does not respond.
   */
  public static CompletableFuture<Map<GroupId, Long>> committed(
      AsyncQuorateClient client, NodeId node, NodeAddress address) {
    StatusRequest request = StatusRequest.newBuilder().setPositions(true).build();
    return AsyncClient.caller(client)
        .context()
        .onLoop(
            context ->
                ClusterStatusCollector.ofNode(
                        context, address, request, context.options().attemptTimeout())
                    .thenApply(status -> committed(status, node)));
  }

  /** As {@link AsyncQuorateClient#status}, with the traffic of the nodes. */
  public static CompletableFuture<ClusterStatus> statusWithTraffic(AsyncQuorateClient client) {
    StatusRequest request = StatusRequest.newBuilder().setTraffic(true).build();
    return AsyncClient.caller(client)
        .context()
        .onLoop(context -> ClusterStatusCollector.of(context, request));
  }

  /**
   * Requests the epoch in which a node has its replica of a region. A node records an epoch durably
   * before it reports it, and never again acts on an earlier one.
   *
   * @return empty if the node has no replica that is open. Fails with {@link UnavailableException}
   *     if the node does not respond.
   */
  public static CompletableFuture<Optional<RegionEpoch>> replicaEpoch(
      AsyncQuorateClient client, NodeId node, NodeAddress address, GroupId region) {
    return replica(client, node, address, region)
        .thenApply(replica -> replica.map(Replica::getEpoch).map(RegionEpoch::new));
  }

  /**
   * Requests the newest digest of a node's replica of a region.
   *
   * @return empty if the node has none, or no replica that is open. Fails with {@link
   *     UnavailableException} if the node does not respond.
   */
  public static CompletableFuture<Optional<RegionDigest>> digest(
      AsyncQuorateClient client, NodeId node, NodeAddress address, GroupId region) {
    return replica(client, node, address, region)
        .thenApply(replica -> replica.filter(Replica::hasDigest).map(NodeToNode::digest));
  }

  private static CompletableFuture<Optional<Replica>> replica(
      AsyncQuorateClient client, NodeId node, NodeAddress address, GroupId region) {
    StatusRequest request = StatusRequest.newBuilder().setRegion(region.value()).build();
    return AsyncClient.caller(client)
        .context()
        .onLoop(
            context ->
                ClusterStatusCollector.ofNode(
                        context, address, request, context.options().attemptTimeout())
                    .thenApply(status -> replica(status, node, region)));
  }

  private static RegionDigest digest(Replica replica) {
    Digest digest = replica.getDigest();
    return RegionDigest.of(
        new Position(digest.getEpoch(), digest.getIndex()),
        digest.getPartsList().stream()
            .map(
                part ->
                    new RegionDigest.Part(
                        Key.wrap(part.getStart().toByteArray()), part.getRows(), part.getHash()))
            .toList(),
        digest.getSessions());
  }

  /**
   * Requests from the node that serves region 0 whether something is planned still: whether the
   * epoch of a region is that of the plan, at some time after the call. Fails as the methods of
   * {@link RegionAdministration}.
   */
  public static CompletableFuture<Boolean> confirmPlan(
      AsyncQuorateClient client, GroupId region, RegionEpoch epoch) {
    return new RegionChangeRequests(AsyncClient.caller(client)).confirm(region, epoch);
  }

  private static Map<GroupId, Long> committed(NodeStatus status, NodeId node) {
    requireFrom(node, status);
    return status.getReplicasList().stream()
        .collect(
            Collectors.toMap(
                replica -> new GroupId(replica.getRegion()), Replica::getCommitted, Math::max));
  }

  private static void requireFrom(NodeId node, NodeStatus status) {
    if (!status.getNode().getId().equals(node.value())) {
      throw new UnavailableException(
          "Node " + status.getNode().getId() + " responded instead of " + node + ".");
    }
  }

  private static Optional<Replica> replica(NodeStatus status, NodeId node, GroupId region) {
    requireFrom(node, status);
    return status.getReplicasList().stream()
        .filter(replica -> replica.getRegion() == region.value())
        .findFirst();
  }

  /** The first usable response of some nodes, which are queried one after the other. */
  private static <T extends MessageLite> CompletableFuture<Optional<T>> first(
      AsyncQuorateClient client,
      Collection<NodeAddress> nodes,
      Opcode opcode,
      MessageLite request,
      Parser<T> parser,
      Predicate<T> isUsable) {
    return AsyncClient.caller(client)
        .context()
        .onLoop(
            context -> {
              Iterator<ConnectionPool> candidates = context.candidates(nodes).iterator();
              return next(
                  candidates,
                  pool ->
                      AdminCall.of(
                          pool,
                          opcode,
                          request,
                          parser,
                          context.loop(),
                          context.options().attemptTimeout()),
                  isUsable);
            });
  }

  private static <T> CompletableFuture<Optional<T>> next(
      Iterator<ConnectionPool> candidates,
      Function<ConnectionPool, CompletableFuture<T>> query,
      Predicate<T> isUsable) {
    if (!candidates.hasNext()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return query
        .apply(candidates.next())
        .handle(
            (response, failure) ->
                failure == null && isUsable.test(response)
                    ? CompletableFuture.completedFuture(Optional.of(response))
                    : next(candidates, query, isUsable))
        .thenCompose(Function.identity());
  }
}
