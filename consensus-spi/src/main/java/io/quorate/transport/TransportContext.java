package io.quorate.transport;

import io.netty.channel.group.ChannelGroup;

/**
 * The objects that all connections of a node share.
 *
 * @param channels every open channel, including those that are open only until a peer has read its
 *     refusal
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
