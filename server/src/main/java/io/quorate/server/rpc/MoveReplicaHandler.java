package io.quorate.server.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.client.wire.v1.MoveReplicaRequest;
import io.quorate.client.wire.v1.MoveReplicaResponse;
import io.quorate.consensus.GroupId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.ReplicaMove;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/** Plans the move of a replica to another node, for operators. */
final class MoveReplicaHandler implements RequestHandler {
  private final ClusterTopology topology;
  private final boolean membersChange;
  private final Executor readers;

  /**
   * @param membersChange whether the members of regions can be changed
   * @param readers execute what reads the disk
   */
  MoveReplicaHandler(ClusterTopology topology, boolean membersChange, Executor readers) {
    this.topology = topology;
    this.membersChange = membersChange;
    this.readers = readers;
  }

  @Override
  public void handle(Request request) {
    MoveReplicaRequest message = parse(request);
    if (!membersChange) {
      throw RequestRejected.invalid(
          "Replicas cannot be moved with replication = coded: each value names the nodes of its"
              + " fragments.");
    }
    GroupId region = region(message.getRegion());
    ReplicaMove move =
        new ReplicaMove(
            NodeNames.parse(message.getMove().getFrom()),
            NodeNames.parse(message.getMove().getTo()));
    MetadataRegion metadata =
        topology
            .hosted(RegionAssignment.METADATA)
            .map(MetadataRegion::new)
            .filter(MetadataRegion::serves)
            .orElseThrow(
                () ->
                    RequestRejected.elsewhere(
                        "This node does not serve region 0, which has the assignments."));
    plan(metadata, region, move)
        .whenComplete((stored, failure) -> respond(request, stored, failure));
  }

  private CompletionStage<Boolean> plan(MetadataRegion metadata, GroupId region, ReplicaMove move) {
    try {
      return CompletableFuture.supplyAsync(
              () -> metadata.change(table -> table.with(planned(table, region, move))), readers)
          .thenCompose(Function.identity());
    } catch (RejectedExecutionException e) {
      throw RequestRejected.unavailable("This node has too much to read, or is stopping.");
    }
  }

  /** A planned move that is requested again is accepted, so that a request can be repeated. */
  private RegionAssignment planned(RegionTable table, GroupId id, ReplicaMove move) {
    RegionAssignment region =
        table.byId(id).orElseThrow(() -> RequestRejected.invalid("There is no region " + id + "."));
    if (region.move().isPresent()) {
      if (region.move().get().equals(move)) {
        return region;
      }
      throw RequestRejected.unavailable(
          "A replica of region %s is moving from %s to %s; the next one can follow when that is done."
              .formatted(id, region.move().get().from(), region.move().get().to()));
    }
    if (topology.find(move.to()).isEmpty()) {
      throw RequestRejected.invalid("The cluster has no node " + move.to() + ".");
    }
    if (!region.isOn(move.from())) {
      throw RequestRejected.invalid(
          "Region %s has no replica on %s, but on %s."
              .formatted(id, move.from(), region.replicas()));
    }
    if (region.isOn(move.to())) {
      throw RequestRejected.invalid(
          "Region %s has a replica on %s already.".formatted(id, move.to()));
    }
    return region.planned(move);
  }

  private static void respond(Request request, Boolean stored, Throwable failure) {
    if (failure != null) {
      request.fail(ErrorMapper.toRejection(failure));
    } else if (stored) {
      request.complete(MoveReplicaResponse.getDefaultInstance().toByteArray());
    } else {
      request.fail(
          RequestRejected.unavailable("The assignments have changed meanwhile; try again."));
    }
  }

  private static GroupId region(int id) {
    if (id < 1) {
      throw RequestRejected.invalid(
          "A region whose replicas can move has a number of 1 or greater, not " + id + ".");
    }
    return new GroupId(id);
  }

  private static MoveReplicaRequest parse(Request request) {
    try {
      return MoveReplicaRequest.parseFrom(request.unread());
    } catch (InvalidProtocolBufferException e) {
      throw RequestRejected.invalid("The request cannot be read: " + e.getMessage());
    }
  }
}
