package io.quorate.consensus;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where nodes accept connections for what an engine sends beside its consensus protocol, such as
 * reads and snapshots. For engines whose protocol occupies {@link EngineContext#listen}; others do
 * not listen here.
 *
 * @param listen the address of this node
 * @param peers the address of another node, unresolved; empty if the node is not known here. Any
 *     thread; does not block.
 * @param disks the identities of the nodes' directories
 */
public record TransportEndpoints(
    InetSocketAddress listen,
    Function<NodeId, Optional<InetSocketAddress>> peers,
    NodeDisks disks) {}
