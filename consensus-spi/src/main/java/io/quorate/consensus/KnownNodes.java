package io.quorate.consensus;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Function;

/**
 * What this node knows of the nodes of its cluster.
 *
 * @param addresses where the engine of a node accepts connections, unresolved; empty if the node is
 *     not known here. Any thread; does not block.
 * @param disks the identities of the nodes' directories
 */
public record KnownNodes(
    Function<NodeId, Optional<InetSocketAddress>> addresses, NodeDisks disks) {}
