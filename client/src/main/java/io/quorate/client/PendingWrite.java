package io.quorate.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A write whose outcome is unknown and may still be asked for. Clients implement it; tests of an
 * application may, to construct an {@link IndeterminateException}.
 */
@FunctionalInterface
public interface PendingWrite {
  /**
   * As {@link IndeterminateException#awaitAsync}.
   *
   * @param deadline more than 0, at most {@link ClientOptions#DEADLINE_MAX}
   */
  CompletableFuture<WriteOutcome> outcome(Duration deadline);

  /** Whether the current thread may wait for the outcome: it is not the one that completes it. */
  default boolean mayBlock() {
    return true;
  }
}
