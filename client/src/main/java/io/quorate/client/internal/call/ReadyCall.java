package io.quorate.client.internal.call;

import io.quorate.client.QuorateException;
import io.quorate.client.internal.connection.Guarded;
import io.quorate.client.internal.topology.TopologyWaiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;

/** Waits until the topology is known. Used by the event loop only. */
public final class ReadyCall implements TopologyWaiter {
  private final ClientContext context;
  private final Duration deadline;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();

  private ReadyCall(ClientContext context, Duration deadline) {
    this.context = context;
    this.deadline = deadline;
  }

  /** Completes when the topology is known; fails when the deadline passes before that. */
  public static CompletableFuture<Void> of(ClientContext context, Duration deadline) {
    ReadyCall call = new ReadyCall(context, deadline);
    if (context.router().topology().isPresent()) {
      call.ready.complete(null);
      return call.ready;
    }
    ScheduledFuture<?> timer = call.enterAfter(context.loop(), deadline.toNanos(), call::timedOut);
    call.ready.whenComplete(
        (done, failure) -> {
          timer.cancel(false);
          context.stopAwaitingTopology(call);
        });
    call.enter(() -> context.awaitTopology(call));
    return call.ready;
  }

  private void timedOut() {
    RetryState progress = RetryState.start(false, deadline).after(context.topologyFailure());
    ready.completeExceptionally(context.policy().expired(progress));
  }

  @Override
  public void thrown(Throwable cause) {
    ready.completeExceptionally(Guarded.failure(cause, false));
  }

  @Override
  public void topologyLearned() {
    ready.complete(null);
  }

  @Override
  public void topologyRejected(QuorateException cause) {
    ready.completeExceptionally(cause);
  }
}
