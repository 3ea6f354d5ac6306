package io.quorate.server.rpc.cluster;

import io.quorate.server.access.AccessRequests;
import io.quorate.server.placement.MoveRequests;
import io.quorate.server.placement.NodeRequests;
import io.quorate.server.placement.RegionRequests;
import java.time.Duration;
import java.util.Optional;

/**
 * What serves the requests of operators about the cluster, at the node that serves region 0.
 *
 * @param nodes about its nodes
 * @param moves of replicas
 * @param regions to split and merge regions
 * @param access about users and roles; empty without security
 * @param transferTimeout maximum time of a leadership transfer
 */
public record ClusterRequests(
    NodeRequests nodes,
    MoveRequests moves,
    RegionRequests regions,
    Optional<AccessRequests> access,
    Duration transferTimeout) {}
