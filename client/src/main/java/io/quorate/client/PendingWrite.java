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
   * The outcome, or the failure of {@link IndeterminateException#await}. That method waits for it.
   *
   * @param deadline more than 0, at most {@link ClientOptions#DEADLINE_MAX}
   */
  CompletableFuture<WriteOutcome> outcome(Duration deadline);

  /**
   * As {@link #outcome}, for {@link IndeterminateException#awaitAsync}: completed where the
   * application wants its futures to complete.
   */
  default CompletableFuture<WriteOutcome> outcomeForStages(Duration deadline) {
    return outcome(deadline);
  }

  /** Whether the current thread may wait for the outcome: it is not the one that completes it. */
  default boolean mayBlock() {
    return true;
  }
}
