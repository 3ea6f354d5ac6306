package io.quorate.server.rpc;

import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.StatusRequest;
import io.quorate.server.rpc.cluster.ClusterRequests;
import io.quorate.server.rpc.request.TrafficCounters;
import io.quorate.server.topology.ClusterTopology;
import java.util.function.Function;

/**
 * What the RPC server serves.
 *
 * @param topology the cluster topology
 * @param servingState whether the node serves requests
 * @param linearizable determines the read index of reads that request linearizability
 * @param commandBytesMax maximum size of a command that the engine accepts
 * @param status the status of this node; does not block
 * @param version the server's version
 * @param cluster serves requests of operators
 * @param measuresLoad whether the requests of each region are counted
 * @param traffic counts the requests of this node
 */
public record RpcContext(
    ClusterTopology topology,
    ServingState servingState,
    ReadStrategy linearizable,
    int commandBytesMax,
    Function<StatusRequest, NodeStatus> status,
    String version,
    ClusterRequests cluster,
    boolean measuresLoad,
    TrafficCounters traffic) {}
