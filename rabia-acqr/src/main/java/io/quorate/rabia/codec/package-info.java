/**
 * The binary encodings of messages and log records. Framing, checksums and files belong in the
 * transport and log packages. Decoding trusts no input: it checks every length and count against
 * the remaining bytes before it allocates, and reports malformed bytes as a {@link
 * io.quorate.common.DecodeException}.
 *
 * <pre>
 * varint        := 7 bits a byte, lowest bits first, unsigned
 * signed        := varint of the zigzag encoding, so that -1 takes one byte
 * node          := length(u8, 1 to 64) ASCII
 * position      := epoch(varint) index(signed)
 * batch-id      := 0 | node incarnation(signed) sequence(varint) digest(16)
 * body          := 1 count(i32) length(i32)* bytes* | 2 basedOn(signed) members
 *                  | 3 basedOn(signed) number(varint) members
 * batch         := batch-id timestamp(i64) body
 * outcome       := 0 | 1 batch-id | 2 batch
 * members       := count(varint) (node length(varint) host port(u16))*
 * configuration := epoch(varint) start(signed) members
 * checkpoint    := position count(varint) configuration*
 *                  count(varint) (node count(varint) executed*)*
 * executed      := incarnation(signed) watermark(signed) count(varint) signed*
 * </pre>
 */
package io.quorate.rabia.codec;
