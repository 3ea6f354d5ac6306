package io.quorate.client.internal.call;

import io.quorate.client.CallListener;
import io.quorate.client.CallOperation;
import io.quorate.client.QuorateException;
import io.quorate.client.internal.connection.CallResults;
import io.quorate.client.internal.connection.FailedAtOnce;
import io.quorate.client.internal.connection.Guarded;
import io.quorate.common.Failures;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The boundary between an application and the client: tells the listeners of each call, and
 * completes its future where the application wants it. Safe for use by multiple threads; nothing
 * blocks.
 */
public final class ApplicationCalls {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationCalls.class);

  private final List<CallListener> listeners;
  private final Optional<Executor> executor;
  private final Executor loop;
  private final AtomicBoolean executorFailed = new AtomicBoolean();

  /**
   * @param executor completes the futures; empty for the thread that knows the result
   * @param loop the client's thread
   */
  ApplicationCalls(List<CallListener> listeners, Optional<Executor> executor, Executor loop) {
    this.listeners = listeners;
    this.executor = executor;
    this.loop = loop;
  }

  /**
   * The same without an executor, for callers that wait: one that waits on the only thread of the
   * executor would wait for itself.
   */
  public ApplicationCalls withoutExecutor() {
    return executor.isEmpty() ? this : new ApplicationCalls(listeners, Optional.empty(), loop);
  }

  /**
   * Makes a call. Does not throw.
   *
   * @param requests makes the requests of the call, and returns its result; what it throws fails
   *     the call
   * @return fails with what the result fails with
   */
  public <T> CompletableFuture<T> call(
      CallOperation operation, Function<ObservedCall, CompletableFuture<T>> requests) {
    if (listeners.isEmpty() && executor.isEmpty()) {
      return made(requests, ObservedCall.NONE);
    }
    ObservedCall call =
        listeners.isEmpty() ? ObservedCall.NONE : ObservedCall.begin(listeners, operation);
    CompletableFuture<T> future = new CompletableFuture<>();
    made(requests, call)
        .whenComplete(
            (value, failure) -> {
              try {
                call.end(cause(failure));
              } finally {
                deliver(() -> complete(future, value, failure));
              }
            });
    return future;
  }

  /**
   * As {@link #call(CallOperation, Function)}.
   *
   * @param conversion of what the requests return; what it throws fails the call
   */
  public <T, R> CompletableFuture<R> call(
      CallOperation operation,
      Function<ObservedCall, CompletableFuture<T>> requests,
      Function<T, R> conversion) {
    return call(operation, call -> CallResults.of(requests.apply(call), conversion));
  }

  /** What is no call of its own, completed where the application wants its futures to complete. */
  <T> CompletableFuture<T> delivered(CompletableFuture<T> result) {
    if (executor.isEmpty()) {
      return result;
    }
    CompletableFuture<T> future = new CompletableFuture<>();
    result.whenComplete((value, failure) -> deliver(() -> complete(future, value, failure)));
    return future;
  }

  private <T> CompletableFuture<T> made(
      Function<ObservedCall, CompletableFuture<T>> requests, ObservedCall call) {
    try {
      return FailedAtOnce.bounded(requests.apply(call), loop);
    } catch (Throwable e) {
      return FailedAtOnce.bounded(
          CompletableFuture.failedFuture(Guarded.failure(e, /* mayHaveHappened= */ false)), loop);
    }
  }

  private static Optional<QuorateException> cause(Throwable failure) {
    return failure == null ? Optional.empty() : Optional.of(Guarded.failure(failure, false));
  }

  private void deliver(Runnable completion) {
    if (executor.isEmpty()) {
      completion.run();
      return;
    }
    try {
      executor.get().execute(completion);
    } catch (Throwable e) {
      if (!executorFailed.getAndSet(true)) {
        LOG.atWarn()
            .setCause(e)
            .log("The executor of this client failed; futures complete on the client's thread");
      }
      completion.run();
    }
  }

  private static <T> void complete(CompletableFuture<T> future, T value, Throwable failure) {
    if (failure == null) {
      future.complete(value);
    } else {
      future.completeExceptionally(Failures.unwrap(failure));
    }
  }
}
