package io.quorate.benchmarks.kv;

import java.util.concurrent.CompletableFuture;

/**
 * A call in flight. Recorded by the thread that completes it, after its completion; otherwise not
 * thread-safe.
 */
final class SentCall {
  private final CallKind kind;
  private CompletableFuture<?> result = new CompletableFuture<>();
  private long readDoneNanos;

  SentCall(CallKind kind) {
    this.kind = kind;
  }

  CallKind kind() {
    return kind;
  }

  void result(CompletableFuture<?> completesWithCall) {
    result = completesWithCall;
  }

  CompletableFuture<?> result() {
    return result;
  }

  /** Sets the time at which the read of a read-modify-write completed. */
  void readDone(long nanos) {
    readDoneNanos = nanos;
  }

  /**
   * Adds the latency of this call, which has succeeded.
   *
   * @param start the time from which the latency counts
   * @param end the time of the completion
   */
  void record(WorkloadStats stats, long start, long end) {
    switch (kind) {
      case GET -> stats.read(end - start);
      case SCAN -> stats.scanned(end - start);
      case READ_MODIFY_WRITE -> stats.readAndWrote(readDoneNanos - start, end - readDoneNanos);
      case PUT, INSERT, DELETE -> stats.wrote(end - start);
      default -> throw new IllegalStateException("No latency of a call of kind " + kind);
    }
  }
}
