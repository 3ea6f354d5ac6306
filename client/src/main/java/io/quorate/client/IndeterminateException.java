package io.quorate.client;

import io.quorate.common.Nulls;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a write is unknown: it was sent, and no response that settles it was received
 * before the deadline. The write may have taken effect, may still take effect, or may never do so;
 * it takes effect at most once. {@link #await} goes on with the same request until the outcome is
 * known; repeating the write in a new call may apply it twice. If the write is known to have taken
 * effect and its result is not, the message says so.
 */
public final class IndeterminateException extends QuorateException {
  private static final long serialVersionUID = 1L;

  // Null if there is nothing to wait for, and after a deserialization.
  private final transient @Nullable PendingWrite pending;

  /**
   * An exception with nothing to wait for.
   *
   * @param message one sentence for people
   */
  public IndeterminateException(String message) {
    super(message);
    this.pending = null;
  }

  /**
   * @param message one sentence for people
   * @param pending goes on with the write
   */
  public IndeterminateException(String message, PendingWrite pending) {
    super(message);
    this.pending = Nulls.refuse(pending, "pending");
  }

  /**
   * Goes on with the write until its outcome is known, and blocks meanwhile. It is sent with the
   * request id that it had, so that it takes effect once: if it has taken effect, the result is the
   * one of that time; otherwise it takes effect now. Returns at once if the outcome is known since.
   *
   * <p>For this, the client keeps a write whose outcome is unknown, for {@link
   * ClientOptions#DEADLINE_MAX} after a call or a wait for it; at most 1,024 of them, with {@link
   * ClientOptions#inFlightBytesMax} bytes, of which those that ended first are given up first; and
   * until 4,096 writes to its region were made after it. After that, when the client was closed, or
   * when the cluster has removed its session, the outcome is never known. A wait in progress keeps
   * the write. There is nothing to wait for if the thread of a blocking call was interrupted.
   *
   * @param deadline the time after which the wait ends; more than 0, at most {@link
   *     ClientOptions#DEADLINE_MAX}
   * @throws RefusedException if the write was executed and changed nothing, since it does not fit
   *     the value that it found
   * @throws IndeterminateException if the outcome is still unknown, or can never be known, which
   *     the message says
   * @throws IllegalArgumentException if the deadline is out of its bounds
   * @throws IllegalStateException if the thread is the client's own
   */
  public WriteOutcome await(Duration deadline) {
    ClientOptions.requireDeadline(Nulls.refuse(deadline, "deadline"));
    if (pending != null && !pending.mayBlock()) {
      throw new IllegalStateException(
          "The client's own thread would wait for itself; use awaitAsync there.");
    }
    try {
      // An executor that completes the futures of stages may have this thread alone.
      return (pending == null ? nothing() : pending.outcome(deadline)).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof QuorateException failure) {
        failure.fillInStackTrace();
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      String message = "The thread was interrupted while it waited; the outcome is still unknown.";
      throw pending == null
          ? new IndeterminateException(message)
          : new IndeterminateException(message, pending);
    }
  }

  /**
   * As {@link #await}, without blocking: the future fails with what that throws, except for a
   * deadline that is out of its bounds, for which this method throws as that does. It completes
   * where the futures of {@link AsyncQuorateClient} do.
   */
  public CompletableFuture<WriteOutcome> awaitAsync(Duration deadline) {
    ClientOptions.requireDeadline(Nulls.refuse(deadline, "deadline"));
    return pending == null ? nothing() : pending.outcomeForStages(deadline);
  }

  private CompletableFuture<WriteOutcome> nothing() {
    return CompletableFuture.failedFuture(
        new IndeterminateException(
            "There is nothing to wait for, since no request is kept that could settle it: "
                + getMessage()));
  }

  @Override
  String outcome() {
    return "indeterminate";
  }

  @Override
  public boolean mayHaveTakenEffect() {
    return true;
  }
}
