package io.quorate.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Waits until the topology is known. Used by the event loop only. */
final class ReadyCall implements TopologyWaiter {
  private final CompletableFuture<Void> ready = new CompletableFuture<>();

  private ReadyCall() {}

  /**
   * Completes when the topology is known; fails when the default deadline of calls passes before
   * that.
   */
  static CompletableFuture<Void> of(ClientContext context) {
    ReadyCall call = new ReadyCall();
    if (context.router().topology().isPresent()) {
      call.ready.complete(null);
      return call.ready;
    }
    ScheduledFuture<?> timer =
        context
            .loop()
            .schedule(
                () -> call.timedOut(context),
                context.options().deadline().toNanos(),
                TimeUnit.NANOSECONDS);
    call.ready.whenComplete((done, failure) -> timer.cancel(false));
    context.awaitTopology(call);
    return call.ready;
  }

  private void timedOut(ClientContext context) {
    context.stopAwaitingTopology(this);
    RetryState progress =
        RetryState.start(false, context.options().deadline())
            .after(new AttemptFailure.Lost(false, context.topologyProblem()));
    ready.completeExceptionally(context.policy().expired(progress));
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
