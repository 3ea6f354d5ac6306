package io.quorate.server.rpc.cluster;

import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.MergeRegionRequest;
import io.quorate.protocol.wire.v1.SplitRegionRequest;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.topology.ClusterTopology;
import java.util.Map;
import java.util.concurrent.Executor;

/** Creates the handlers of the requests about the cluster. */
public final class ClusterHandlers {
  private ClusterHandlers() {}

  /**
   * The handler of each kind of request about the cluster.
   *
   * @param readers execute what reads the disk
   */
  public static Map<Opcode, RequestHandler> of(
      ClusterTopology topology, ClusterRequests requests, Limits limits, Executor readers) {
    MetadataLookup metadata = new MetadataLookup(topology);
    return Map.of(
        Opcode.TRANSFER_LEADER,
        new TransferLeaderHandler(topology, requests.transferTimeout()),
        Opcode.VERIFY_REGION,
        new VerifyRegionHandler(topology, readers),
        Opcode.MOVE_REPLICA,
        new MoveReplicaHandler(metadata, requests.moves(), readers),
        Opcode.CONFIRM_PLAN,
        new ConfirmPlanHandler(metadata, readers),
        Opcode.CHANGE_NODES,
        new ChangeNodesHandler(metadata, requests.nodes(), readers),
        Opcode.ACCESS,
        new AccessHandler(requests.access()),
        Opcode.CHANGE_ACCESS,
        new ChangeAccessHandler(metadata, requests.access(), readers),
        Opcode.SPLIT_REGION,
        new RegionChangeHandler<>(
            metadata,
            request -> request.message(SplitRegionRequest.parser()).getAt(),
            requests.regions()::split,
            limits,
            readers),
        Opcode.MERGE_REGION,
        new RegionChangeHandler<>(
            metadata,
            request -> request.message(MergeRegionRequest.parser()).getAt(),
            requests.regions()::merge,
            limits,
            readers));
  }
}
