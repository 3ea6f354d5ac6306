package io.quorate.rabia.engine;

import io.quorate.common.Budget;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.ProposeResult;
import io.quorate.quorum.PositionWaiters;
import io.quorate.quorum.QuorumReadBatcher;
import io.quorate.quorum.QuorumReadCodec;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
import io.quorate.rabia.core.Replica;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Reads of one replica: read replies for this and other nodes, and read indexes by a quorum or by
 * consensus. Any thread requests them; the results come from the replica's thread.
 */
final class RabiaReads implements QuorumReads, ReplicaLoop.LoopTask {
  private static final long EXPIRY_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A read by consensus. Their number is bounded because each one is a proposal. */
  private record ConsensusRead(CompletableFuture<ProposeResult> outcome, long deadlineNanos) {}

  private record ReplyRequest(
      List<KeyScope> scopes, Position atLeast, CompletableFuture<List<ReadReply<Void>>> replies) {}

  private final Replica replica;
  private final ReplicaLoop loop;
  private final Proposals proposals;
  private final RabiaSettings settings;
  private final QuorumReadBatcher batcher;
  private final Queue<ReplyRequest> replyRequests = new ConcurrentLinkedQueue<>();
  private final Budget replyBudget;
  private final Queue<ConsensusRead> consensusReads = new ConcurrentLinkedQueue<>();

  // Accessed only by the replica's thread.
  private final PositionWaiters<ReplyRequest> waiting = new PositionWaiters<>();
  private int rotation;
  private long batcherDueAt;

  /**
   * @param sendRequest sends a request for read replies to another replica; completes on any thread
   */
  RabiaReads(
      Replica replica,
      ReplicaLoop loop,
      Proposals proposals,
      RabiaSettings settings,
      BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> sendRequest) {
    this.replica = replica;
    this.loop = loop;
    this.proposals = proposals;
    this.settings = settings;
    this.batcher =
        new QuorumReadBatcher(new Peers(sendRequest), settings.quorumBounds(), ReplicaClock::nanos);
    this.replyBudget = settings.quorumBounds().newBudget();
  }

  @Override
  public CompletionStage<ReadReply<Void>> reply(KeyScope scope, Position atLeast) {
    return replies(List.of(scope), atLeast)
        .thenApply(
            replies -> {
              if (replies.isEmpty()) {
                throw new ConsensusException.Unavailable(
                    "This replica is catching up and serves no reads.");
              }
              return replies.get(0);
            });
  }

  @Override
  public CompletionStage<Position> readIndex(KeyScope scope, QuorumRule rule) {
    CompletableFuture<Position> readIndex = batcher.offer(scope, rule);
    loop.wake();
    return readIndex;
  }

  /** Serves a request for read replies; the response is empty while this replica may not reply. */
  CompletionStage<ByteBuffer> respond(ByteBuffer request) {
    try {
      return replies(QuorumReadCodec.readRequest(request), Position.NONE)
          .thenApply(QuorumReadCodec::response);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Orders a read by consensus (plain Rabia): the read is a command that writes nothing. */
  CompletionStage<Position> readByConsensus() {
    CompletableFuture<ProposeResult> outcome = proposals.offer(PendingCommand.READ);
    if (outcome.isDone()) {
      return outcome.thenApply(ProposeResult::position);
    }
    consensusReads.add(
        new ConsensusRead(outcome, ReplicaClock.nanos() + settings.readTimeout().toNanos()));
    loop.wakeForProposals();
    return outcome.thenApply(ProposeResult::position);
  }

  @Override
  public void onIteration(long nowNanos) {
    for (ReplyRequest next = replyRequests.poll(); next != null; next = replyRequests.poll()) {
      if (replica.executed().covers(next.atLeast())) {
        complete(next);
      } else {
        waiting.add(next.atLeast(), nowNanos + settings.readTimeout().toNanos(), next);
      }
    }
    waiting.release(replica.executed(), this::complete);
    batcherDueAt =
        batcher.turn(
            nowNanos,
            consensusReads.isEmpty() ? ReplicaLoop.idle(nowNanos) : nowNanos + EXPIRY_CHECK_NANOS);
    waiting.expire(nowNanos, late -> late.replies().complete(List.of()));
    expireConsensusReads(nowNanos);
  }

  @Override
  public long dueAt(long nowNanos) {
    return waiting.dueAt(batcherDueAt);
  }

  /** Ends the reads that wait, without a result. On the replica's thread. */
  void close() {
    batcher.close();
    waiting.clear(late -> late.replies().complete(List.of()));
    for (ReplyRequest next = replyRequests.poll(); next != null; next = replyRequests.poll()) {
      next.replies().complete(List.of());
    }
  }

  private CompletableFuture<List<ReadReply<Void>>> replies(
      List<KeyScope> scopes, Position atLeast) {
    CompletableFuture<List<ReadReply<Void>>> replies = new CompletableFuture<>();
    int bytes = scopes.stream().mapToInt(QuorumReadCodec::bytes).sum();
    if (!replyBudget.tryAcquireAnySizeAlone(bytes)) {
      replies.completeExceptionally(settings.quorumBounds().overloaded());
      return replies;
    }
    replies.whenComplete((done, failure) -> replyBudget.release(bytes));
    replyRequests.add(new ReplyRequest(scopes, atLeast, replies));
    loop.wake();
    return replies;
  }

  private void complete(ReplyRequest request) {
    request.replies().complete(repliesNow(request.scopes()));
  }

  private List<ReadReply<Void>> repliesNow(List<KeyScope> scopes) {
    List<ReadReply<Void>> replies = new ArrayList<>(scopes.size());
    for (KeyScope scope : scopes) {
      Optional<ReadReply<Void>> reply = replica.reply(scope);
      if (reply.isEmpty()) {
        return List.of();
      }
      replies.add(reply.get());
    }
    return replies;
  }

  private void expireConsensusReads(long nowNanos) {
    ConsensusRead oldest = consensusReads.peek();
    while (oldest != null
        && (oldest.outcome().isDone() || oldest.deadlineNanos() - nowNanos <= 0)) {
      oldest
          .outcome()
          .completeExceptionally(
              new ConsensusException.Unavailable(
                  "The read was not ordered by consensus within "
                      + settings.readTimeout().toMillis()
                      + " ms (rabia.read-timeout)."));
      consensusReads.remove();
      oldest = consensusReads.peek();
    }
  }

  private final class Peers implements QuorumReadBatcher.Replica {
    private final BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> sendRequest;

    Peers(BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> sendRequest) {
      this.sendRequest = sendRequest;
    }

    @Override
    public List<ReadReply<Void>> replies(List<KeyScope> scopes) {
      return repliesNow(scopes);
    }

    @Override
    public List<NodeId> others() {
      return loop.othersByLiveness(rotation++);
    }

    @Override
    public CompletionStage<List<ReadReply<Void>>> call(NodeId other, List<KeyScope> scopes) {
      CompletableFuture<List<ReadReply<Void>>> replies = new CompletableFuture<>();
      sendRequest
          .apply(other, QuorumReadCodec.request(scopes))
          .whenComplete(
              (bytes, failure) -> loop.execute(() -> read(other, scopes, bytes, failure, replies)));
      return replies;
    }

    private void read(
        NodeId other,
        List<KeyScope> scopes,
        ByteBuffer bytes,
        Throwable failure,
        CompletableFuture<List<ReadReply<Void>>> replies) {
      if (failure != null) {
        replies.completeExceptionally(failure);
        return;
      }
      try {
        replies.complete(QuorumReadCodec.readResponse(other, scopes.size(), bytes));
      } catch (IOException e) {
        replies.completeExceptionally(e);
      }
    }

    @Override
    public Position executed() {
      return replica.executed();
    }

    @Override
    public long epoch() {
      return replica.latestConfiguration().epoch();
    }

    @Override
    public Optional<CompletionStage<Position>> callLeader() {
      return Optional.empty();
    }
  }
}
