package io.quorate.server.rpc;

import io.quorate.client.wire.v1.MoveReplicaRequest;
import io.quorate.client.wire.v1.MoveReplicaResponse;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Plans the move of a replica to another node, for operators. */
final class MoveReplicaHandler implements RequestHandler {
  private final MetadataLookup metadataLookup;
  private final Executor readers;

  /**
   * @param readers execute what reads the disk
   */
  MoveReplicaHandler(MetadataLookup metadataLookup, Executor readers) {
    this.metadataLookup = metadataLookup;
    this.readers = readers;
  }

  @Override
  public void handle(Request request) {
    MoveReplicaRequest message = request.message(MoveReplicaRequest.parser());
    NodeId from = NodeNames.parse(message.getChange().getFrom());
    NodeId to = NodeNames.parse(message.getChange().getTo());
    MetadataRegion metadata = metadataLookup.serving();
    plan(metadata, new GroupId(message.getRegion()), from, to)
        .thenApply(MoveReplicaHandler::response)
        .whenComplete(request::end);
  }

  private CompletionStage<Boolean> plan(
      MetadataRegion metadata, GroupId region, NodeId from, NodeId to) {
    return CompletableFuture.supplyAsync(
            () -> {
              StoredTopology present = metadata.require();
              return metadata.replace(present, planned(present, region, from, to));
            },
            readers)
        .thenCompose(Function.identity());
  }

  /** A planned move that is requested again is accepted, so that a request can be repeated. */
  private static StoredTopology planned(
      StoredTopology topology, GroupId id, NodeId from, NodeId to) {
    RegionAssignment region =
        topology
            .assignment(id)
            .orElseThrow(() -> RequestRejected.invalid("There is no region " + id + "."));
    if (topology.node(to).isEmpty()) {
      throw RequestRejected.invalid("The cluster has no node " + to + ".");
    }
    if (from.equals(to)) {
      throw RequestRejected.invalid("A replica moves to another node than " + from + ".");
    }
    ReplicaChange move = ReplicaChange.move(from, to);
    if (region.change().equals(Optional.of(move))) {
      return topology;
    }
    if (!region.isStable()) {
      throw RequestRejected.unavailable(
          region.underWay().orElseThrow()
              + " is under way; the next change can follow when that is done.");
    }
    if (!region.isOn(from)) {
      throw RequestRejected.invalid(
          "Region %s has no replica on %s, but on %s.".formatted(id, from, region.replicas()));
    }
    if (region.isOn(to)) {
      throw RequestRejected.invalid("Region %s has a replica on %s already.".formatted(id, to));
    }
    return topology.with(region.planned(move));
  }

  private static MoveReplicaResponse response(boolean stored) {
    if (!stored) {
      throw RequestRejected.unavailable("The topology has changed meanwhile; try again.");
    }
    return MoveReplicaResponse.getDefaultInstance();
  }
}
