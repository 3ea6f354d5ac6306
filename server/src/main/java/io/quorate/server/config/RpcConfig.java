package io.quorate.server.config;

import io.quorate.common.Budget;
import java.time.Duration;

/**
 * Limits and timeouts for clients.
 *
 * @param threads event loop threads
 * @param readThreads threads that read from storage
 * @param connections maximum number of connections; further ones are told so and closed
 * @param timeouts of connections and requests
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
    Timeouts timeouts,
    InFlight perConnection,
    InFlight perNode,
    int outboundBytes,
    Duration retryAfter) {

  /**
   * How long connections and requests wait.
   *
   * @param handshake maximum time until the handshake of a connection
   * @param frame time in which a frame arrives, or 128 KiB of it for each second
   * @param stall maximum time for which a client may leave responses unread
   * @param request upper bound on the timeout of a request, whatever the client requests
   */
  public record Timeouts(Duration handshake, Duration frame, Duration stall, Duration request) {}

  /** A limit on requests in flight, by count and by bytes of requests and responses together. */
  public record InFlight(int requests, long bytes) {
    /** A budget with this limit and nothing in flight. */
    public Budget newBudget() {
      return new Budget(requests, bytes);
    }
  }
}
