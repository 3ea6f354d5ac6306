/**
 * The RPC server: accepts client connections, admits their requests within limits, dispatches them
 * to the regions and sends the responses. The wire format belongs to {@code client.wire}, opening
 * and closing of replicas to {@code node}.
 *
 * <p>Three kinds of threads process a request. The connection's event loop reads and admits it; an
 * engine thread completes a write with its result, or a read with its read index; a reader thread
 * reads. Each of them adds a response to the connection's response queue, which the event loop
 * writes with one flush. Event loops and engine threads are never blocked.
 */
package io.quorate.server.rpc;
