package io.quorate.replication.transport;

import io.netty.channel.group.ChannelGroup;
import io.quorate.consensus.KnownNodes.PeerSecurity;
import io.quorate.replication.transport.handshake.LocalIdentity;
import io.quorate.replication.transport.handshake.PeerEvents;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The objects that all connections of a node share.
 *
 * @param present the identity of this node, with its present starts
 * @param security empty for connections without TLS
 * @param channels every open channel, including those that are open only until a peer has read its
 *     refusal
 */
record TransportContext(
    TransportSettings settings,
    Supplier<LocalIdentity> present,
    IdentityWriter identities,
    Groups groups,
    PeerEvents events,
    PeerLiveness liveness,
    TransportMetrics metrics,
    RefusalLog refusals,
    Optional<PeerSecurity> security,
    ChannelGroup channels) {

  LocalIdentity self() {
    return present.get();
  }
}
