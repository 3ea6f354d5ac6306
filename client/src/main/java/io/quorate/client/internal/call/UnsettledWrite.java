package io.quorate.client.internal.call;

import io.quorate.client.ClientClosedException;
import io.quorate.client.Durations;
import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateException;
import io.quorate.client.RefusedException;
import io.quorate.client.WriteOutcome;
import io.quorate.client.internal.connection.Guarded;
import io.quorate.client.internal.order.Doubt;
import io.quorate.common.Failures;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A write that a call has left in doubt. It is {@linkplain HeldWrites held}, goes on in a further
 * call while someone waits for it, and ends when its outcome is known or the client gives it up.
 * Used by the event loop only, except as a {@link io.quorate.client.PendingWrite}.
 */
final class UnsettledWrite implements Doubt {
  /** Why the outcome is never known after the client was closed, as a phrase. */
  static final String CLOSED = "the client is closed, and its session has ended";

  private static final String NEVER_KNOWN =
      "The write may have taken effect, and its outcome can never be known: ";

  private final ClientContext context;
  private final long costBytes;

  /** Empty when the write has ended, so that its operation is not kept. */
  private Optional<WriteRequest<WriteOutcome>> request;

  /** Of the call that goes on with the write; empty while there is none. */
  private Optional<CompletableFuture<WriteOutcome>> going = Optional.empty();

  /** Has ended, as the write has; read by any thread. Empty before. */
  private volatile Optional<CompletableFuture<WriteOutcome>> known = Optional.empty();

  private Optional<Consumer<End>> whenEnded = Optional.empty();
  private long heldSinceNanos;

  /**
   * @param request whose sequence number is outstanding
   */
  UnsettledWrite(ClientContext context, WriteRequest<WriteOutcome> request) {
    this.context = context;
    this.request = Optional.of(request);
    this.costBytes = request.costBytes();
  }

  long costBytes() {
    return costBytes;
  }

  /** When the last call ended, as by {@link System#nanoTime}. */
  long heldSinceNanos() {
    return heldSinceNanos;
  }

  /** The failure of a call that ends now, by which one can wait for the outcome. */
  IndeterminateException failure(QuorateException cause) {
    String message =
        cause instanceof IndeterminateException
            ? cause.getMessage()
            : "The outcome of the write is still unknown: " + cause.getMessage();
    IndeterminateException failure = new IndeterminateException(message, this);
    Optional.ofNullable(cause.getCause()).ifPresent(failure::initCause);
    return failure;
  }

  /** Called when a call has ended and the outcome is unknown. */
  void hold() {
    going = Optional.empty();
    heldSinceNanos = System.nanoTime();
    context.held().add(this);
    // May give it up at once, if other writes wait for its sequence number to end.
    request.ifPresent(
        held ->
            held.hold(
                () -> {
                  context.held().remove(this);
                  lost("the client has made as many later writes to its region as it may");
                }));
  }

  /** Ends without an outcome. */
  void lost(String reason) {
    request.ifPresent(WriteRequest::ended);
    end(
        CompletableFuture.failedFuture(new IndeterminateException(NEVER_KNOWN + reason + ".")),
        new End(true));
  }

  private void end(CompletableFuture<WriteOutcome> outcome, End end) {
    request = Optional.empty();
    going = Optional.empty();
    known = Optional.of(outcome);
    whenEnded.ifPresent(callback -> callback.accept(end));
  }

  @Override
  public void whenEnded(Consumer<End> callback) {
    whenEnded = Optional.of(callback);
  }

  @Override
  public boolean mayBlock() {
    return !context.isOnLoop();
  }

  @Override
  public CompletableFuture<WriteOutcome> outcomeForStages(Duration deadline) {
    return context.applicationCalls().delivered(outcome(deadline));
  }

  @Override
  public CompletableFuture<WriteOutcome> outcome(Duration deadline) {
    CompletableFuture<WriteOutcome> waiting = new CompletableFuture<>();
    known
        .orElseGet(() -> context.onLoop(loop -> resumed(deadline)))
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                waiting.complete(outcome);
              } else {
                waiting.completeExceptionally(unknown(Failures.unwrap(failure)));
              }
            });
    return waiting;
  }

  private CompletableFuture<WriteOutcome> resumed(Duration deadline) {
    if (known.isPresent()) {
      return known.get();
    }
    if (going.isPresent()) {
      return beside(going.get(), deadline);
    }
    WriteRequest<WriteOutcome> held = request.orElseThrow();
    CompletableFuture<WriteOutcome> call = new CompletableFuture<>();
    context.held().remove(this);
    held.resume();
    going = Optional.of(call);
    call.whenComplete(
        (outcome, failure) -> {
          if (isSettledBy(call)) {
            end(call, new End(false));
          }
        });
    RegionCall<WriteOutcome> further =
        new RegionCall<>(
            context,
            held,
            call,
            RetryState.resumed(deadline),
            context.admission().enterAgain(new FlowController.Demand(costBytes, /* read= */ false)),
            ObservedCall.NONE,
            System.nanoTime());
    further.enter(further::start);
    return call;
  }

  /** Whether a call that has ended did not {@linkplain #hold leave} the write in doubt. */
  private boolean isSettledBy(CompletableFuture<WriteOutcome> call) {
    return going.filter(present -> present == call).isPresent();
  }

  /** Waits for the call of another caller, and goes on by itself if that one waited less long. */
  private CompletableFuture<WriteOutcome> beside(
      CompletableFuture<WriteOutcome> call, Duration deadline) {
    long startNanos = System.nanoTime();
    CompletableFuture<WriteOutcome> waiting = new CompletableFuture<>();
    ScheduledFuture<?> timer =
        context
            .loop()
            .schedule(
                () -> waiting.completeExceptionally(notWithin(deadline)),
                deadline.toNanos(),
                TimeUnit.NANOSECONDS);
    waiting.whenComplete((outcome, failure) -> timer.cancel(false));
    call.whenComplete(
        (outcome, failure) -> {
          if (failure == null || waiting.isDone() || isSettledBy(call)) {
            relay(outcome, failure, waiting);
          } else {
            goOn(deadline.minusNanos(System.nanoTime() - startNanos), waiting);
          }
        });
    return waiting;
  }

  private void goOn(Duration left, CompletableFuture<WriteOutcome> waiting) {
    if (left.isNegative() || left.isZero()) {
      return; // Its timer ends it.
    }
    Guarded step = waiting::completeExceptionally;
    step.enter(
        () -> resumed(left).whenComplete((outcome, failure) -> relay(outcome, failure, waiting)));
  }

  private static void relay(
      WriteOutcome outcome, Throwable failure, CompletableFuture<WriteOutcome> to) {
    if (failure == null) {
      to.complete(outcome);
    } else {
      to.completeExceptionally(failure);
    }
  }

  private IndeterminateException notWithin(Duration deadline) {
    return new IndeterminateException(
        "The outcome of the write is not known within " + Durations.text(deadline) + ".", this);
  }

  /** No failure but that of the write itself says that it had no effect. */
  private QuorateException unknown(Throwable cause) {
    if (cause instanceof RefusedException refused) {
      return refused;
    }
    if (cause instanceof IndeterminateException unknown) {
      return unknown;
    }
    if (cause instanceof ClientClosedException) {
      return new IndeterminateException(NEVER_KNOWN + CLOSED + ".");
    }
    return failure(cause instanceof QuorateException known ? known : Guarded.failure(cause, true));
  }
}
