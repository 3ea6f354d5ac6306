package io.quorate.client.internal.connection;

import io.quorate.common.Failures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds the stack of a chain of calls that fail at once. A stage of such a call runs in the method
 * with which it is added; if it makes the next call, and so on, the stack overflows, which a future
 * keeps for nobody. So of the calls that fail at once on a thread some fail a little later on
 * another one, where the chain goes on with an empty stack. Any thread; nothing blocks.
 */
public final class FailedAtOnce {
  /** Of so many calls that fail at once on a thread, one does so on another. */
  static final int SUCCESSION_MAX = 32;

  /** As many fail later at a time; those beyond do so at once, so that their queue is bounded. */
  static final int LATER_MAX = 4096;

  private static final ThreadLocal<int[]> SUCCESSION = ThreadLocal.withInitial(() -> new int[1]);

  /** So that the caller adds its stage before that: otherwise the stage runs on its stack. */
  private static final Executor SOON =
      CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run);

  private static final AtomicInteger LATER = new AtomicInteger();

  private FailedAtOnce() {}

  /** A call that fails before it begins. */
  public static <T> CompletableFuture<T> of(Throwable failure) {
    CompletableFuture<T> failed = CompletableFuture.failedFuture(failure);
    return bounded(failed, failed.defaultExecutor());
  }

  /**
   * The call itself, unless it has failed and the stack of this thread is to be left.
   *
   * @param other the thread on which the chain goes on then; if it takes no tasks any more, that is
   *     one of the JVM
   */
  public static <T> CompletableFuture<T> bounded(CompletableFuture<T> call, Executor other) {
    if (!call.isCompletedExceptionally() || ++SUCCESSION.get()[0] % SUCCESSION_MAX != 0) {
      return call;
    }
    if (LATER.incrementAndGet() > LATER_MAX) {
      LATER.decrementAndGet();
      return call;
    }
    CompletableFuture<T> later = new CompletableFuture<>();
    Runnable end =
        () -> {
          LATER.decrementAndGet();
          call.whenComplete(
              (value, failure) -> later.completeExceptionally(Failures.unwrap(failure)));
        };
    SOON.execute(
        () -> {
          try {
            other.execute(end);
          } catch (RejectedExecutionException e) {
            later.defaultExecutor().execute(end);
          }
        });
    return later;
  }
}
