package io.quorate.server.placement;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.common.DecodeException;
import io.quorate.common.Sentences;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.v1.ChangeNodesRequest;
import io.quorate.protocol.wire.v1.ChangeNodesResponse;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.PlannedTransfer;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyMessages;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Serves the requests of operators about nodes, and of nodes about themselves, at the node whose
 * replica of region 0 serves. Any thread.
 */
public final class NodeRequests {
  /** In a response to an operator. */
  private static final int TRANSFERS_SHOWN_MAX = 1000;

  private final ClusterTopology topology;
  private final AsyncQuorateClient client;
  private final PlacementConfig config;

  /**
   * @param topology learns of each change at once
   * @param client requests the state of every node
   */
  public NodeRequests(ClusterTopology topology, AsyncQuorateClient client, PlacementConfig config) {
    this.topology = topology;
    this.client = client;
    this.config = config;
  }

  /**
   * Stores the requested change, or the part of it that is possible, unless it is a dry run. Does
   * not block.
   *
   * @param metadata this node's replica of region 0, which serves
   * @param readers execute what reads the disk
   * @return completes with the changes of replicas that follow; fails with {@link
   *     ConsensusException}, which says what was not possible after a part was stored
   * @throws DecodeException if the request is malformed
   */
  public CompletionStage<ChangeNodesResponse> change(
      MetadataRegion metadata, ChangeNodesRequest request, Executor readers) {
    Function<StoredTopology, NodeChange> change = decode(request);
    return client
        .status()
        .thenComposeAsync(
            status -> {
              StoredTopology present = metadata.require();
              NodeChange changed = change.apply(present);
              ChangeNodesResponse response = predict(changed.next(), status, request);
              if (request.hasReplace() && changed.equals(new NodeChange(present))) {
                RegisteredDisk.requireWaiting(
                    node(request.getReplace().getId()), status, response.getChangesList());
              }
              CompletionStage<Void> stored =
                  request.getDryRun()
                      ? CompletableFuture.completedFuture(null)
                      : PlannedTopology.store(metadata, present, changed.next(), topology);
              return stored.thenApply(done -> requireAll(changed, response));
            },
            readers);
  }

  private static ChangeNodesResponse requireAll(NodeChange change, ChangeNodesResponse response) {
    change
        .refusal()
        .ifPresent(
            refusal -> {
              throw refusal;
            });
    return response;
  }

  private static Function<StoredTopology, NodeChange> decode(ChangeNodesRequest request) {
    return switch (request.getChangeCase()) {
      case ADD -> {
        NodeEntry added = entry(request.getAdd());
        yield whole(present -> NodeChanges.add(present, added));
      }
      case DRAIN -> {
        NodeId node = node(request.getDrain());
        yield whole(present -> NodeChanges.drain(present, node));
      }
      case UNDRAIN -> {
        NodeId node = node(request.getUndrain());
        yield whole(present -> NodeChanges.undrain(present, node));
      }
      case REMOVE -> {
        NodeId node = node(request.getRemove());
        yield whole(present -> NodeChanges.remove(present, node));
      }
      case REPLACE -> {
        NodeEntry replaced = entry(request.getReplace());
        yield present -> NodeChanges.replace(present, replaced);
      }
      case REGISTER -> {
        NodeEntry reported = entry(request.getRegister());
        yield whole(present -> NodeChanges.register(present, reported));
      }
      case PREVIEW -> whole(UnaryOperator.identity());
      case CHANGE_NOT_SET -> throw new DecodeException("The request names no known change.");
    };
  }

  /** A change that is made as a whole, or refused. */
  private static Function<StoredTopology, NodeChange> whole(UnaryOperator<StoredTopology> change) {
    return present -> new NodeChange(change.apply(present));
  }

  private static NodeId node(String name) {
    try {
      return new NodeId(name);
    } catch (IllegalArgumentException e) {
      throw new ConsensusException.Invalid(e.getMessage() + ".");
    }
  }

  private static NodeEntry entry(Node message) {
    try {
      // Every node connects to these.
      List.of(message.getClientPort(), message.getConsensusPort(), message.getAdminPort())
          .forEach(port -> new NodeAddress(message.getHost(), port));
      return TopologyMessages.entry(message);
    } catch (IllegalArgumentException e) {
      throw new ConsensusException.Invalid(Sentences.sentence(e.getMessage()));
    }
  }

  private ChangeNodesResponse predict(
      StoredTopology next, ClusterStatus status, ChangeNodesRequest request) {
    ClusterPicture picture = ClusterPicture.of(next, status);
    if (request.hasAdd()) {
      // It is not among the nodes that were requested to report.
      picture = picture.withResponding(entry(request.getAdd()).id());
    }
    ChangeNodesResponse.Builder response = ChangeNodesResponse.newBuilder();
    for (RegionChange change : ReplicaPlacement.predict(picture, config.policy())) {
      response.addChanges(
          io.quorate.protocol.wire.v1.RegionChange.newBuilder()
              .setRegion(change.region().value())
              .setChange(TopologyMessages.of(change.change()))
              .setRowBytes(picture.rowBytes().getOrDefault(change.region(), 0L))
              .setReason(change.reason()));
    }
    for (Transfer transfer :
        LeaderPlacement.next(picture, config.policy(), Set.of(), TRANSFERS_SHOWN_MAX)) {
      response.addTransfers(
          PlannedTransfer.newBuilder()
              .setRegion(transfer.region().value())
              .setFrom(transfer.from().value())
              .setTo(transfer.to().value())
              .setReason(transfer.reason()));
    }
    return response.build();
  }
}
