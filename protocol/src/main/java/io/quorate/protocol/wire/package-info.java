/**
 * The protocol between clients and servers: one schema, which both use. Connections, retries and
 * the execution of requests do not belong here.
 *
 * <p>A client opens a TCP connection, sends the {@linkplain io.quorate.protocol.wire.Preamble
 * preamble}, then frames, the first of which is {@link io.quorate.protocol.wire.Opcode#HELLO}. The
 * server sends exactly one response frame for every request frame, with the same correlation, in
 * any order.
 *
 * <pre>
 * frame    := length(i32, of the bytes that follow) correlation(i64) kind(u8) body
 * kind     := {@linkplain io.quorate.protocol.wire.Opcode opcode} in a request,
 *             {@linkplain io.quorate.protocol.wire.Status status} in a response
 * </pre>
 *
 * <p>Reads and writes have hand-written bodies ({@link io.quorate.protocol.wire.DataFrames});
 * everything else is a message of {@code quorate.proto}.
 */
package io.quorate.protocol.wire;
