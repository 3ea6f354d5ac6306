package io.quorate.server.config;

import io.quorate.common.Budget;
import java.time.Duration;

/**
 * Limits and timeouts for clients.
 *
 * @param threads event loop threads
 * @param readThreads threads that read from storage
 * @param connections maximum number of connections; further ones are told so and closed
 * @param handshakeTimeout maximum time until the handshake of a connection
 * @param frameTimeout time in which a frame arrives, or 128 KiB of it for each second
 * @param stallTimeout maximum time for which a client may leave responses unread
 * @param requestTimeout upper bound on the timeout of a request, whatever the client requests
 * @param perConnection limit on the requests in flight of one connection
 * @param perNode limit on the requests in flight of all connections together
 * @param outboundBytes unsent responses, in bytes, beyond which nothing more is read from a
 *     connection
 * @param retryAfter the delay after which an overloaded client may retry
 */
public record RpcConfig(
    int threads,
    int readThreads,
    int connections,
    Duration handshakeTimeout,
    Duration frameTimeout,
    Duration stallTimeout,
    Duration requestTimeout,
    InFlight perConnection,
    InFlight perNode,
    int outboundBytes,
    Duration retryAfter) {

  /** A limit on requests in flight, by count and by bytes of requests and responses together. */
  public record InFlight(int requests, long bytes) {
    /** A budget with this limit and nothing in flight. */
    public Budget newBudget() {
      return new Budget(requests, bytes);
    }
  }
}
