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
import io.quorate.replication.threads.LoopTask;
import io.quorate.replication.threads.SharedLoops;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.server.RaftServer;

/**
 * Quorum reads of one replica. Read replies are created on the thread that requests them; rounds
 * and waiting reads belong to the steps of a {@link LoopTask}.
 */
final class QuorumReadService implements QuorumReads {
  /** What is due in this time or later needs no timer. */
  private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);

  private final RaftServer.Division division;
  private final ReplicaReadReplies replies;
  private final Peers peers;
  private final FollowerReads leader;
  private final ReadMetrics metrics;
  private final CommitNotifier commitNotifier;
  private final LoopTask task;
  private final WaitingReplies waiting;
  private volatile boolean closed;

  /** Whether a read waits for the state to advance. */
  private volatile boolean anyWaiting;

  /** Responses of other replicas; as many as there are requests at most. */
  private final Queue<Runnable> responses = new ConcurrentLinkedQueue<>();

  // Guarded by the task, which waits for the lock only when this replica closes.
  private final QuorumReadBatcher rounds;
  private boolean ended;

  QuorumReadService(
      RaftServer.Division division,
      ReplicaReadReplies replies,
      Peers peers,
      FollowerReads leader,
      QuorumBounds bounds,
      ReadMetrics metrics,
      CommitNotifier commitNotifier,
      SharedLoops loops) {
    this.division = division;
    this.replies = replies;
    this.peers = peers;
    this.leader = leader;
    this.metrics = metrics;
    this.commitNotifier = commitNotifier;
    this.waiting = new WaitingReplies(this::repliesFor, bounds);
    this.rounds = new QuorumReadBatcher(new Self(), bounds, System::nanoTime);
    this.task = new LoopTask(loops, this::step);
  }

  @Override
  public CompletionStage<ReadReply<Void>> reply(KeyScope scope, Position atLeast) {
    List<KeyScope> scopes = List.of(scope);
    if (replies.applied().covers(atLeast)) {
      return WaitingReplies.only(CompletableFuture.completedFuture(repliesFor(scopes)));
    }
    CompletableFuture<List<ReadReply<Void>>> reply = waiting.add(scopes, atLeast);
    task.wake();
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
    task.wake();
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
      task.wake();
    }
    return created;
  }

  /** To be called when the state has advanced, which is very often. */
  void advanced() {
    if (anyWaiting) {
      task.wake();
    }
  }

  /** Fails all waiting reads. */
  void close() {
    closed = true;
    synchronized (rounds) {
      ended = true;
      rounds.close();
      waiting.close();
    }
  }

  private LoopTask.Next step(boolean mayBlock) {
    synchronized (rounds) {
      if (ended) {
        return LoopTask.Next.END;
      }
      for (Runnable next = responses.poll(); next != null; next = responses.poll()) {
        next.run();
      }
      long due = turn();
      if (due - System.nanoTime() < IDLE_NANOS / 2) {
        task.wakeAt(due);
      }
    }
    return LoopTask.Next.WAIT;
  }

  private long turn() {
    long now = System.nanoTime();
    Position before = replies.applied();
    waiting.turn(before, now);
    long roundsDueAt = rounds.turn(now, now + IDLE_NANOS);
    anyWaiting = rounds.isBarred() || !waiting.isEmpty();
    if (anyWaiting && !before.covers(replies.applied())) {
      // The state may have advanced before anyWaiting was set.
      task.wake();
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
              (received, failure) -> {
                responses.add(
                    () -> {
                      if (failure == null) {
                        response.complete(received);
                      } else {
                        response.completeExceptionally(failure);
                      }
                    });
                task.wake();
              });
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
