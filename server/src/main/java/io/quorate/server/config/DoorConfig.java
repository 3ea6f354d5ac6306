package io.quorate.server.config;

import java.time.Duration;

/**
 * Bounds on clients.
 *
 * @param threads event loop threads
 * @param readThreads threads that read from storage
 * @param connections most connections; further ones are closed at once
 * @param handshakeTimeout how long a connection may take to say hello
 * @param frameTimeout how long a connection may be silent within a frame
 * @param stallTimeout how long a client may leave answers unread
 * @param requestTimeout longest that a request is waited for, whatever the client asked
 * @param perConnection what one connection may have in flight
 * @param perNode what all connections together may have in flight
 * @param outboundBytes unsent answers, in bytes, beyond which a connection is not read from
 * @param retryAfter what an overloaded client is told to wait
 */
public record DoorConfig(
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

  /**
   * A bound on requests without an answer, by count and by bytes of requests and answers together.
   */
  public record InFlight(int requests, long bytes) {}
}
