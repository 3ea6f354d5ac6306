package io.quorate.client.internal.call;

import io.quorate.client.IndeterminateException;
import io.quorate.client.internal.connection.CallResults;
import io.quorate.model.Guarantee;
import io.quorate.model.Position;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The read that follows an increment whose result is split from it. Pure. */
public final class SplitIncrement {
  private SplitIncrement() {}

  /**
   * Returns the client's guarantee if it is linearizable without clocks, otherwise the default for
   * linearizable reads.
   */
  public static Guarantee guarantee(Guarantee ofClient) {
    return ofClient instanceof Guarantee.Linearizable
        ? ofClient
        : Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED;
  }

  /** The result of an increment and the read that follows it; as {@link #sum}. */
  public static CompletableFuture<Long> result(
      CompletableFuture<Position> increment, Supplier<CompletableFuture<Optional<byte[]>>> read) {
    return CallResults.of(
        increment.thenCompose(position -> read.get().handle(SplitIncrement::sum)));
  }

  /**
   * Returns the number that the read found, 0 if there is no value.
   *
   * @throws IndeterminateException if the read failed or found no number; the increment is done
   */
  static long sum(Optional<byte[]> value, Throwable failure) {
    if (failure != null) {
      throw incremented("its sum could not be read: " + failure.getMessage(), failure);
    }
    try {
      return value
          .map(digits -> Long.parseLong(new String(digits, StandardCharsets.US_ASCII)))
          .orElse(0L);
    } catch (NumberFormatException e) {
      throw incremented("the value is not a number now, or was none before.", e);
    }
  }

  private static IndeterminateException incremented(String problem, Throwable cause) {
    IndeterminateException failure =
        new IndeterminateException("The increment is done, but " + problem);
    failure.initCause(cause);
    return failure;
  }
}
