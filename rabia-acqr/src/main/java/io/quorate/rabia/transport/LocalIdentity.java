package io.quorate.rabia.transport;

import io.quorate.consensus.NodeId;
import java.util.UUID;

/**
 * Who this node says it is.
 *
 * @param disk made at random when the engine's directory was first used: a node whose disk was
 *     emptied comes with another one, and so cannot pass for the one that voted (P1, S3)
 */
public record LocalIdentity(UUID cluster, NodeId node, UUID disk) {}
