package io.quorate.ratis.quorum;

import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.KeyScope;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
import io.quorate.replication.quorum.QuorumBounds;
import io.quorate.replication.quorum.QuorumReadBatcher;
import io.quorate.replication.quorum.WaitingReplies;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.ratis.server.RaftServer;

/**
 * Quorum reads of one replica. Read replies are created on the thread that requests them; rounds
 * and waiting reads belong to the {@link SerialExecutor}.
 */
final class QuorumReadService implements QuorumReads {
  private final RaftServer.Division division;
  private final ReplicaReadReplies replies;
  private final Peers peers;
  private final FollowerReads leader;
  private final ReadMetrics metrics;
  private final CommitNotifier commitNotifier;
  private final SerialExecutor executor;
  private final WaitingReplies waiting;
  private volatile boolean closed;

  /** Whether a read waits for the state to advance. */
  private volatile boolean anyWaiting;

  // Accessed only in iterations of the executor.
  private final QuorumReadBatcher rounds;

  QuorumReadService(
      RaftServer.Division division,
      ReplicaReadReplies replies,
      Peers peers,
      FollowerReads leader,
      QuorumBounds bounds,
      ReadMetrics metrics,
      CommitNotifier commitNotifier,
      SerialExecutor.Threads threads) {
    this.division = division;
    this.replies = replies;
    this.peers = peers;
    this.leader = leader;
    this.metrics = metrics;
    this.commitNotifier = commitNotifier;
    this.waiting = new WaitingReplies(this::repliesFor, bounds);
    this.executor = new SerialExecutor(threads, this::iterate);
    this.rounds = new QuorumReadBatcher(new Self(executor), bounds, System::nanoTime);
  }

  @Override
  public CompletionStage<ReadReply<Void>> reply(KeyScope scope, Position atLeast) {
    List<KeyScope> scopes = List.of(scope);
    if (replies.applied().covers(atLeast)) {
      return WaitingReplies.only(CompletableFuture.completedFuture(repliesFor(scopes)));
    }
    CompletableFuture<List<ReadReply<Void>>> reply = waiting.add(scopes, atLeast);
    executor.wake();
    return WaitingReplies.only(reply);
  }

  /** A leader uses its own confirmed read index, which needs no read replies. */
  @Override
  public CompletionStage<Position> readIndex(KeyScope scope, QuorumRule rule) {
    if (division.getInfo().isLeader()) {
      return leader.readIndex();
    }
    metrics.quorumRead();
    CompletionStage<Position> point = rounds.offer(scope, rule);
    executor.wake();
    return point;
  }

  /** Read replies for another replica; none if this one may not give any now. Does not block. */
  List<ReadReply<Void>> repliesFor(List<KeyScope> scopes) {
    List<ReadReply<Void>> created = closed ? List.of() : replies.take(scopes);
    metrics.replies(scopes.size(), !created.isEmpty());
    Position pending = Position.NONE;
    for (ReadReply<Void> reply : created) {
      pending = reply.pending().compareTo(pending) > 0 ? reply.pending() : pending;
    }
    if (!pending.equals(Position.NONE)
        && commitNotifier.pendingReported(pending, System.nanoTime())) {
      executor.wake();
    }
    return created;
  }

  /** To be called when the state has advanced, which is very often. */
  void advanced() {
    if (anyWaiting) {
      executor.wake();
    }
  }

  /** Fails all waiting reads. */
  void close() {
    closed = true;
    executor.end(
        () -> {
          rounds.close();
          waiting.close();
        });
  }

  private long iterate() {
    long now = System.nanoTime();
    Position before = replies.applied();
    waiting.turn(before, now);
    long roundsDueAt = rounds.turn(now, now + SerialExecutor.IDLE_NANOS);
    anyWaiting = rounds.isBarred() || !waiting.isEmpty();
    if (anyWaiting && !before.covers(replies.applied())) {
      // The state may have advanced before anyWaiting was set.
      executor.wake();
    }
    return dueAt(now, roundsDueAt);
  }

  private long dueAt(long now, long roundsDueAt) {
    long due = waiting.dueAt(roundsDueAt);
    Position applied = replies.applied();
    if (commitNotifier.isAwaited(applied, now) && !division.getInfo().isLeader()) {
      if (commitNotifier.isStalled(applied, now)) {
        // The result is not used: the request makes the leader announce its commit index.
        leader.readIndex();
      }
      due = Math.min(due, now + CommitNotifier.STALL_NANOS);
    }
    return due;
  }

  private final class Self implements QuorumReadBatcher.Replica {
    private final Executor executor;

    Self(Executor executor) {
      this.executor = executor;
    }

    @Override
    public List<ReadReply<Void>> replies(List<KeyScope> scopes) {
      return repliesFor(scopes);
    }

    @Override
    public List<NodeId> others() {
      return peers.order();
    }

    @Override
    public CompletionStage<List<ReadReply<Void>>> call(NodeId other, List<KeyScope> scopes) {
      CompletableFuture<List<ReadReply<Void>>> response = new CompletableFuture<>();
      peers
          .requestReplies(other, scopes)
          .whenComplete(
              (received, failure) ->
                  executor.execute(
                      () -> {
                        if (failure == null) {
                          response.complete(received);
                        } else {
                          response.completeExceptionally(failure);
                        }
                      }));
      return response;
    }

    @Override
    public void late(NodeId other) {
      peers.reportTimeout(other);
    }

    @Override
    public Position executed() {
      return replies.applied();
    }

    @Override
    public long epoch() {
      return replies.epoch();
    }

    @Override
    public Optional<CompletionStage<Position>> callLeader() {
      metrics.passedToLeader();
      return Optional.of(leader.readIndex());
    }
  }
}
