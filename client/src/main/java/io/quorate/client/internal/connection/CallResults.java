package io.quorate.client.internal.connection;

import io.quorate.common.Failures;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * What calls return, converted for the caller. A dependent stage would fail with a {@link
 * java.util.concurrent.CompletionException} around the failure of the call; these fail with that
 * itself. Any thread; nothing blocks.
 */
public final class CallResults {
  private CallResults() {}

  /**
   * Converts the value of a call.
   *
   * @param conversion what it throws fails the result
   */
  public static <T, R> CompletableFuture<R> of(
      CompletableFuture<T> call, Function<? super T, ? extends R> conversion) {
    CompletableFuture<R> result = new CompletableFuture<>();
    call.whenComplete(
        (value, failure) -> {
          if (failure != null) {
            result.completeExceptionally(Failures.unwrap(failure));
            return;
          }
          try {
            result.complete(conversion.apply(value));
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  /** The result of a call of several requests. */
  public static <T> CompletableFuture<T> of(CompletableFuture<T> call) {
    return of(call, value -> value);
  }
}
