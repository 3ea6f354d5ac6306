package io.quorate.rabia.transport;

import io.netty.channel.group.ChannelGroup;

/**
 * What all connections of a node share.
 *
 * @param channels every one that is open, those included that only wait for a peer to read why it
 *     is refused
 */
record TransportContext(
    TransportSettings settings,
    LocalIdentity self,
    IdentityWriter identities,
    Groups groups,
    PeerEvents events,
    PeerLiveness liveness,
    TransportMetrics metrics,
    RefusalLog refusals,
    ChannelGroup channels) {}
