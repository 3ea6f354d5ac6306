/**
 * How replicas of the Rabia engine reach each other: one {@link
 * io.quorate.rabia.transport.PeerTransport} a node, shared by all its groups.
 *
 * <p>Each node dials each peer and sends its messages there; it receives on the connections it
 * accepted. Messages may be dropped, the protocol repeats them. What is asked and answered, such as
 * pieces of snapshots, has connections of its own, so that it does not hold up messages.
 *
 * <pre>
 * frame       length:4, counting what follows · type:1 · body
 * HELLO       magic:4 · version:1 · purpose:1 · cluster:16 · node · disk:16 · the node meant
 * WELCOME     node · disk:16
 * REFUSED     reason:1 · sentence, to the end
 * MESSAGE     group:4 · {@link io.quorate.rabia.codec.MessageCodec}
 * KEEP_ALIVE  nothing
 * REQUEST     correlation:8 · group:4 · request, to the end
 * ANSWER      correlation:8 · answer, to the end
 * FAILURE     correlation:8 · sentence, to the end
 * </pre>
 *
 * <p>The first two fields of a HELLO, and REFUSED as a whole, stay as they are in every version.
 * Node ids are a length byte and ASCII. Numbers are big-endian.
 */
package io.quorate.rabia.transport;
