package io.quorate.transport;

import io.quorate.consensus.NodeId;
import java.util.UUID;

/**
 * The identity that a node presents to its peers.
 *
 * @param disk a random id, created when the engine's directory was first used: a node whose disk
 *     was emptied has another one, and is not mistaken for the node that voted (P1, S3)
 */
public record LocalIdentity(UUID cluster, NodeId node, UUID disk) {}
