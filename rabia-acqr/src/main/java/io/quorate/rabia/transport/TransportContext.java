package io.quorate.rabia.transport;

/** What all connections of a node share. */
record TransportContext(
    TransportSettings settings,
    LocalIdentity self,
    IdentityWriter identities,
    Groups groups,
    PeerEvents events,
    TransportMetrics metrics,
    RefusalLog refusals) {}
