package io.quorate.benchmarks.peers.contender;

import io.quorate.benchmarks.kv.KeyValueCalls;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

/**
 * Forwards calls, and fails each that is not complete at its deadline: without one, a server that
 * hangs would never end a measurement. Thread-safe.
 */
final class CallsWithDeadline implements KeyValueCalls {
  private final KeyValueCalls calls;
  private final Duration deadline;
  private final Set<InFlight> inFlight = ConcurrentHashMap.newKeySet();
  private volatile boolean hasExpired;

  /** A call in flight; equal only to itself. */
  private static final class InFlight {
    private final CompletableFuture<?> result;
    private final long sentNanos = System.nanoTime();

    InFlight(CompletableFuture<?> result) {
      this.result = result;
    }
  }

  /**
   * @param deadline of each call, from its sending
   */
  CallsWithDeadline(KeyValueCalls calls, Duration deadline) {
    this.calls = calls;
    this.deadline = deadline;
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value) {
    return watched(calls.put(key, value));
  }

  @Override
  public CompletionStage<?> get(byte[] key) {
    return watched(calls.get(key));
  }

  @Override
  public CompletionStage<?> delete(byte[] key) {
    return watched(calls.delete(key));
  }

  @Override
  public CompletionStage<?> scan(byte[] start, int rows) {
    return watched(calls.scan(start, rows));
  }

  private CompletionStage<?> watched(CompletionStage<?> call) {
    CompletableFuture<?> result = call.toCompletableFuture();
    if (!result.isDone()) {
      InFlight sent = new InFlight(result);
      inFlight.add(sent);
      result.whenComplete((value, failure) -> inFlight.remove(sent));
    }
    return result;
  }

  /** Fails the calls that are beyond their deadline. Called every now and then. */
  void expire() {
    long now = System.nanoTime();
    for (InFlight each : inFlight) {
      if (now - each.sentNanos >= deadline.toNanos()) {
        hasExpired = true;
        each.result.completeExceptionally(new TimeoutException(message()));
      }
    }
  }

  /** Whether a call was not complete at its deadline. */
  boolean hasExpired() {
    return hasExpired;
  }

  /** A sentence about a call without a response. */
  String message() {
    return "A call had no response within " + deadline.toMillis() / 1000.0 + " s.";
  }
}
