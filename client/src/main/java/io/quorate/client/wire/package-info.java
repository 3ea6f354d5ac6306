/**
 * The protocol between clients and servers: one schema, used by both.
 *
 * <p>A client opens a TCP connection, sends the {@linkplain io.quorate.client.wire.Preamble
 * preamble}, then frames, the first of them {@link io.quorate.client.wire.Opcode#HELLO}. Every
 * request frame gets exactly one response frame with the same correlation, in any order.
 *
 * <pre>
 * frame    := length(i32, of what follows) correlation(i64) kind(u8) body
 * kind     := {@linkplain io.quorate.client.wire.Opcode opcode} in a request,
 *             {@linkplain io.quorate.client.wire.Status status} in a response
 * </pre>
 *
 * <p>Reads and writes have hand-made bodies ({@link io.quorate.client.wire.DataFrames}); everything
 * else is a message of {@code quorate.proto}.
 */
package io.quorate.client.wire;
