/**
 * Connections between the nodes of a cluster: one {@link
 * io.quorate.replication.transport.PeerTransport} for each node, shared by all its groups. The
 * engine encodes its messages and decodes those that are received. Names of settings, metrics and
 * threads contain the engine's section, given by {@link
 * io.quorate.replication.transport.TransportSettings}. The rules that comments cite (P1, S3, T1)
 * are Rabia's.
 *
 * <p>Each node dials each peer and sends its messages there; it receives on the connections it
 * accepted. Messages may be dropped; the protocol repeats them. Requests and their responses, such
 * as chunks of snapshots, have connections of their own, so that they do not delay messages.
 *
 * <pre>
 * frame       length:4, of type and body · check:4 · type:1 · body · checksum:4
 * first frame length:4, of the rest of the frame · type:1 · body · checksum:4
 * HELLO       magic:4 · version:1 · purpose:1 · cluster:16 · founding:16 · node · disk:16 · starts
 *             · receiving node
 * WELCOME     founding:16 · node · disk:16 · starts
 * REFUSED     reason:1 · detail, to the end
 * MESSAGE     group:4 · {@link io.quorate.replication.transport.Payload}, to the end
 * KEEP_ALIVE  nothing
 * REQUEST     correlation:8 · group:4 · kind:1 · request, to the end
 * RESPONSE    correlation:8 · response, to the end
 * FAILURE     correlation:8 · detail, to the end
 * STARTS      founding:16 · starts; from either side, after the handshake
 * </pre>
 *
 * <p>The checks are those of {@link io.quorate.protocol.frame}. The first frame of each direction,
 * HELLO and WELCOME or REFUSED, begins as in every version; the first two fields of a HELLO and a
 * REFUSED because of the version, which has no checksum, are the same in every version. Node ids
 * are a length byte and ASCII. A founding that is not known is zero. Starts are their number:8, and
 * id:8 · renewals:4 of each of the newest, as many as {@link io.quorate.consensus.Starts} keeps.
 * Numbers are big-endian.
 */
package io.quorate.replication.transport;
