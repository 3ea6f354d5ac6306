/**
 * What frames on sockets have in common, between nodes as between a client and a node.
 *
 * <pre>
 * frame  length:4, of header and body · check:4 · header · body · checksum:4
 * </pre>
 *
 * <p>Both checks are CRC-32C, computed by the sender: the first one over length and header, so that
 * a receiver relies on no length that was altered, and the second one over length, header and body.
 * Nothing of a frame is used before it is checked. Numbers are big-endian.
 */
package io.quorate.protocol.frame;
