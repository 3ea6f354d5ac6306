package io.quorate.server.topology;

import io.quorate.consensus.NodeId;

/**
 * A planned change of a region: its replica on one node is replaced by one on another.
 *
 * @param from a node with a replica
 * @param to a node without one
 */
public record ReplicaMove(NodeId from, NodeId to) {}
