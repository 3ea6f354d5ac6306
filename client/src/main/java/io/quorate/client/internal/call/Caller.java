package io.quorate.client.internal.call;

import io.quorate.client.Admission;
import io.quorate.client.CallOperation;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.client.internal.connection.Guarded;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/**
 * How a view of a client makes its calls. Any thread.
 *
 * @param calls tells the listeners, and completes the futures
 * @param deadline of each call
 * @param blocks whether the caller waits for its calls, so that one may wait for room
 * @param inOrder whether calls take turns, key by key
 */
public record Caller(
    ClientContext context,
    ApplicationCalls calls,
    Duration deadline,
    boolean blocks,
    boolean inOrder) {
  public Caller withDeadline(Duration other) {
    return new Caller(context, calls, other, blocks, inOrder);
  }

  public Caller inOrder(boolean other) {
    return new Caller(context, calls, deadline, blocks, other);
  }

  /** A call that does not go to the region of a key, made by a task on the event loop. */
  public <T> CompletableFuture<T> onLoop(
      CallOperation operation, Function<ClientContext, CompletableFuture<T>> task) {
    return calls.call(operation, call -> context.onLoop(task));
  }

  /** For callers that wait for their calls, on a thread that may be the executor's only one. */
  public Caller blocking() {
    return new Caller(context, calls.withoutExecutor(), deadline, true, inOrder);
  }

  /** The same without an executor, for callers that wait for the end of calls, but not for room. */
  public Caller withoutExecutor() {
    return new Caller(context, calls.withoutExecutor(), deadline, blocks, inOrder);
  }

  /**
   * Starts a request. Throws nothing for a request that fails. Blocks for at most the deadline if
   * the caller {@link #blocks} and the options say so, but never the event loop.
   *
   * @param observed the call of the application of which this is a request
   */
  public <T> CompletableFuture<T> submit(RegionRequest<T> request, ObservedCall observed) {
    long startNanos = System.nanoTime();
    FlowController.Ticket ticket;
    try {
      ticket = enter(request);
    } catch (QuorateException e) {
      return CompletableFuture.failedFuture(e);
    }
    try {
      CompletableFuture<T> future = new CompletableFuture<>();
      RetryState start = RetryState.start(request.isWrite(), deadline);
      RegionCall<T> call =
          new RegionCall<>(context, request, future, start, ticket, observed, startNanos);
      context.loop().execute(() -> call.enter(inOrder ? call::startInOrder : call::start));
      return future;
    } catch (RejectedExecutionException e) {
      context.admission().exit(ticket);
      return CompletableFuture.failedFuture(ClientContext.isClosed());
    } catch (Throwable e) {
      context.admission().exit(ticket);
      return CompletableFuture.failedFuture(Guarded.failure(e, false));
    }
  }

  private FlowController.Ticket enter(RegionRequest<?> request) {
    long cost = request.costBytes();
    if (cost > context.options().inFlightBytesMax()) {
      throw context.bounds().tooLarge(cost);
    }
    FlowController.Demand demand =
        new FlowController.Demand(
            Math.min(cost, request.waitingBytes()), cost, /* read= */ !request.isWrite());
    Optional<FlowController.Ticket> ticket = context.admission().tryEnter(demand);
    if (ticket.isPresent()) {
      return ticket.get();
    }
    if (!blocks || context.options().admission() != Admission.WAIT) {
      throw context.bounds().queueFull();
    }
    // On the event loop, as after the first page of a scan, another thread is blocked.
    return context.isOnLoop() ? context.admission().enterAgain(demand) : awaitRoom(demand);
  }

  private FlowController.Ticket awaitRoom(FlowController.Demand demand) {
    try {
      return context
          .admission()
          .enterWithin(demand, deadline.toNanos())
          .orElseThrow(() -> context.bounds().notAdmitted(deadline));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException(
          "The thread was interrupted while the call waited for admission; nothing was sent.");
    }
  }
}
