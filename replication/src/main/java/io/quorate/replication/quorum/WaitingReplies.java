package io.quorate.replication.quorum;

import io.quorate.common.Budget;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.model.Position;
import io.quorate.quorum.ReadReply;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * Requests for read replies of one replica that wait until it has executed a position, at most for
 * the timeout of reads. Their number and size are bounded. Any thread calls {@link #add}; the
 * thread of the replica calls all other methods and completes the requests. Nothing blocks.
 */
public final class WaitingReplies {
  private record Request(
      List<KeyScope> scopes, Position atLeast, CompletableFuture<List<ReadReply<Void>>> replies) {}

  private final Function<List<KeyScope>, List<ReadReply<Void>>> repliesNow;
  private final QuorumBounds bounds;
  private final Budget budget;
  private final Queue<Request> arrived = new ConcurrentLinkedQueue<>();
  private final PositionWaiters<Request> waiting = new PositionWaiters<>();
  private volatile boolean isClosed;

  /**
   * @param repliesNow creates one reply for each scope, or none if the replica may not give any
   */
  public WaitingReplies(
      Function<List<KeyScope>, List<ReadReply<Void>>> repliesNow, QuorumBounds bounds) {
    this.repliesNow = repliesNow;
    this.bounds = bounds;
    this.budget = bounds.newBudget();
  }

  /**
   * Adds a request, which the next {@link #turn} takes: the caller wakes the replica's thread.
   *
   * @return one reply for each scope; none if the replica may not give any, has not executed the
   *     position in time, or is closed; fails with {@link ConsensusException.Overloaded} if too
   *     many wait
   */
  public CompletableFuture<List<ReadReply<Void>>> add(List<KeyScope> scopes, Position atLeast) {
    CompletableFuture<List<ReadReply<Void>>> replies = new CompletableFuture<>();
    int bytes = scopes.stream().mapToInt(QuorumReadCodec::bytes).sum();
    if (!budget.tryAcquireAnySizeAlone(bytes)) {
      replies.completeExceptionally(bounds.overloaded());
      return replies;
    }
    replies.whenComplete((done, failure) -> budget.release(bytes));
    arrived.add(new Request(scopes, atLeast, replies));
    if (isClosed) {
      replies.complete(List.of());
    }
    return replies;
  }

  /**
   * The only one of the replies to a request for one.
   *
   * @return fails with {@link ConsensusException.Unavailable} if there is none
   */
  public static CompletionStage<ReadReply<Void>> only(
      CompletableFuture<List<ReadReply<Void>>> replies) {
    return replies.thenApply(
        all -> {
          if (all.isEmpty()) {
            throw new ConsensusException.Unavailable(
                "This replica is catching up, or its members change, and it serves no quorum"
                    + " reads.");
          }
          return all.get(0);
        });
  }

  /** Completes the requests whose position is executed, and those whose time is over. */
  public void turn(Position executed, long nowNanos) {
    long deadlineNanos = nowNanos + bounds.timeout().toNanos();
    for (Request next = arrived.poll(); next != null; next = arrived.poll()) {
      waiting.add(next.atLeast(), deadlineNanos, next);
    }
    waiting.release(executed, this::complete);
    waiting.expire(nowNanos, WaitingReplies::giveUp);
  }

  /** Whether no request waits for the replica to execute more. */
  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * The time by which {@link #turn} must be called.
   *
   * @param idleNanos the latest time to return
   */
  public long dueAt(long idleNanos) {
    return waiting.dueAt(idleNanos);
  }

  /** Ends all requests, and those that follow, without replies. */
  public void close() {
    isClosed = true;
    waiting.clear(WaitingReplies::giveUp);
    for (Request next = arrived.poll(); next != null; next = arrived.poll()) {
      giveUp(next);
    }
  }

  private void complete(Request request) {
    request.replies().complete(repliesNow.apply(request.scopes()));
  }

  private static void giveUp(Request request) {
    request.replies().complete(List.of());
  }
}
