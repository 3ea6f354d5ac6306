package io.quorate.server.config;

import io.quorate.common.Budget;
import java.time.Duration;
import java.util.Optional;

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

  private static final long NODE_BYTES = 256L << 20;

  /**
   * The default bound on the bytes in flight of a node.
   *
   * @param heapBytes of which it has a third at most; the records of the log and the queues of
   *     regions have the rest
   */
  static long nodeBytes(long heapBytes, int frameBytes) {
    return Math.max(Math.min(NODE_BYTES, heapBytes / 3), frameBytes);
  }

  /**
   * Why these requests do not fit the memory of a process, if they do not; one sentence.
   *
   * @param heapBytes the maximum size of its heap
   */
  public Optional<String> problem(long heapBytes) {
    if (perNode.bytes() <= heapBytes / 2) {
      return Optional.empty();
    }
    return Optional.of(
        "Key quorate.rpc.node-bytes is at most half of the heap, and limits.frame too, since requests"
            + " would fill it and end this node: they may have "
            + (perNode.bytes() >> 20)
            + "MiB of "
            + (heapBytes >> 20)
            + "MiB (-Xmx).");
  }

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
