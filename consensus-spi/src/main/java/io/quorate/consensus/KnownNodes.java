package io.quorate.consensus;

import io.quorate.model.NodeId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What this node knows of the nodes of its cluster.
 *
 * @param addresses where the engine of a node may accept connections, unresolved, the most likely
 *     address first: that which the node has registered, before that of a configuration. Empty if
 *     the node is not known here. Any thread; does not block.
 * @param disks the identities of the nodes' directories
 */
public record KnownNodes(Function<NodeId, List<InetSocketAddress>> addresses, NodeDisks disks) {

  /** The most likely address of a node. */
  public Optional<InetSocketAddress> address(NodeId node) {
    return addresses.apply(node).stream().findFirst();
  }
}
