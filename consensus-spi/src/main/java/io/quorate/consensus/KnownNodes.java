package io.quorate.consensus;

import io.quorate.model.NodeId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * What this node knows of the nodes of its cluster.
 *
 * @param addresses where the engine of a node may accept connections, unresolved, the most likely
 *     address first: that which the node has registered, before that of a configuration. Empty if
 *     the node is not known here. Any thread; does not block.
 * @param disks the identities of the nodes' directories
 * @param security of connections between nodes; empty for connections without TLS
 */
public record KnownNodes(
    Function<NodeId, List<InetSocketAddress>> addresses,
    NodeDisks disks,
    Optional<PeerSecurity> security) {

  /**
   * TLS between nodes, in which both ends present certificates of an authority of the cluster. Any
   * thread; nothing blocks.
   */
  public interface PeerSecurity {
    /** An end of a connection that this node opens. */
    SSLEngine dialing(InetSocketAddress to);

    /** An end of a connection that this node accepts. */
    SSLEngine accepting();

    /**
     * The node that the other end is, by its certificate. To be called when the handshake is
     * complete.
     *
     * @throws SSLPeerUnverifiedException if it is no node, with the reason
     */
    NodeId nodeOf(SSLSession session) throws SSLPeerUnverifiedException;
  }

  /** Nodes that connect without TLS. */
  public KnownNodes(Function<NodeId, List<InetSocketAddress>> addresses, NodeDisks disks) {
    this(addresses, disks, Optional.empty());
  }

  /** The most likely address of a node. */
  public Optional<InetSocketAddress> address(NodeId node) {
    return addresses.apply(node).stream().findFirst();
  }
}
