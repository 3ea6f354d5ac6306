package io.quorate.rabia.engine;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
import io.quorate.rabia.core.Replica;
import io.quorate.replication.quorum.QuorumReadBatcher;
import io.quorate.replication.quorum.QuorumReadCodec;
import io.quorate.replication.quorum.WaitingReplies;
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
  /** Reads by consensus take turns with the users that write. */
  private static final Command.Source READS = new Command.Source("reads by consensus");

  private static final long EXPIRY_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A read by consensus. Their number is bounded because each one is a proposal. */
  private record ConsensusRead(CompletableFuture<ProposeResult> outcome, long deadlineNanos) {}

  private final Replica replica;
  private final ReplicaLoop loop;
  private final Proposals proposals;
  private final RabiaSettings settings;
  private final QuorumReadBatcher batcher;
  private final WaitingReplies waiting;
  private final Queue<ConsensusRead> consensusReads = new ConcurrentLinkedQueue<>();

  // Accessed only by the replica's thread.
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
        new QuorumReadBatcher(
            new Peers(sendRequest), settings.reads().quorumBounds(), ReplicaClock::nanos);
    this.waiting = new WaitingReplies(this::repliesNow, settings.reads().quorumBounds());
  }

  @Override
  public CompletionStage<ReadReply<Void>> reply(KeyScope scope, Position atLeast) {
    return WaitingReplies.only(replies(List.of(scope), atLeast));
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
    CompletableFuture<ProposeResult> outcome = proposals.offerRead(READS);
    if (outcome.isDone()) {
      return outcome.thenApply(ProposeResult::position);
    }
    consensusReads.add(
        new ConsensusRead(outcome, ReplicaClock.nanos() + settings.reads().timeout().toNanos()));
    loop.wakeForProposals();
    return outcome.thenApply(ProposeResult::position);
  }

  @Override
  public void onIteration(long nowNanos) {
    waiting.turn(replica.executed(), nowNanos);
    batcherDueAt =
        batcher.turn(
            nowNanos,
            consensusReads.isEmpty() ? ReplicaLoop.idle(nowNanos) : nowNanos + EXPIRY_CHECK_NANOS);
    expireConsensusReads(nowNanos);
  }

  @Override
  public long dueAt(long nowNanos) {
    return waiting.dueAt(batcherDueAt);
  }

  /** Ends the reads that wait, without a result. On the replica's thread. */
  void close() {
    batcher.close();
    waiting.close();
  }

  private CompletableFuture<List<ReadReply<Void>>> replies(
      List<KeyScope> scopes, Position atLeast) {
    CompletableFuture<List<ReadReply<Void>>> replies = waiting.add(scopes, atLeast);
    loop.wake();
    return replies;
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
                      + settings.reads().timeout().toMillis()
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
