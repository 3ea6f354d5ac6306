package io.quorate.ratis.quorum;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.BarrierQueue;
import io.quorate.consensus.quorum.QuorumBounds;
import io.quorate.consensus.quorum.QuorumReads;
import io.quorate.consensus.quorum.QuorumRounds;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.ReadBudget;
import io.quorate.consensus.quorum.Share;
import io.quorate.consensus.quorum.ShareExchange;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.apache.ratis.server.RaftServer;

/**
 * Quorum reads of one replica. Shares are given on the thread that asks; rounds and whatever waits
 * belong to the {@link Turns}.
 */
final class QuorumDesk implements QuorumReads {
  private record Wanted(KeyScope scope, Position atLeast, CompletableFuture<Share<Void>> share) {}

  private final RaftServer.Division division;
  private final ReplicaShares shares;
  private final Peers peers;
  private final FollowerReads leader;
  private final QuorumBounds bounds;
  private final ReadMetrics metrics;
  private final CommitNews news;
  private final ReadBudget waitingShares;
  private final Turns turns;
  private final Queue<Wanted> wanted = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  /** Whether something waits for the state to advance. */
  private volatile boolean barredAny;

  // In turns alone.
  private final QuorumRounds rounds;
  private final BarrierQueue<Wanted> barred = new BarrierQueue<>();

  QuorumDesk(
      RaftServer.Division division,
      ReplicaShares shares,
      Peers peers,
      FollowerReads leader,
      QuorumBounds bounds,
      ReadMetrics metrics,
      CommitNews news,
      Turns.Threads threads) {
    this.division = division;
    this.shares = shares;
    this.peers = peers;
    this.leader = leader;
    this.bounds = bounds;
    this.metrics = metrics;
    this.news = news;
    this.waitingShares = new ReadBudget(bounds);
    this.turns = new Turns(threads, this::turn);
    this.rounds = new QuorumRounds(new Self(turns), bounds, System::nanoTime);
  }

  @Override
  public CompletionStage<Share<Void>> share(KeyScope scope, Position atLeast) {
    if (shares.applied().covers(atLeast)) {
      List<Share<Void>> now = sharesFor(List.of(scope));
      return now.isEmpty()
          ? CompletableFuture.failedFuture(catchingUp())
          : CompletableFuture.completedFuture(now.get(0));
    }
    CompletableFuture<Share<Void>> share = new CompletableFuture<>();
    int bytes = ShareExchange.bytes(scope);
    if (!waitingShares.admit(bytes)) {
      share.completeExceptionally(waitingShares.overloaded());
      return share;
    }
    share.whenComplete((done, failure) -> waitingShares.release(bytes));
    wanted.add(new Wanted(scope, atLeast, share));
    if (closed) {
      share.completeExceptionally(catchingUp());
    }
    turns.wake();
    return share;
  }

  /** The leader knows better than any quorum, and need not ask for shares to be sure that it is. */
  @Override
  public CompletionStage<Position> readPoint(KeyScope scope, QuorumRule rule) {
    if (division.getInfo().isLeader()) {
      return leader.readPoint();
    }
    metrics.quorumRead();
    CompletionStage<Position> point = rounds.offer(scope, rule);
    turns.wake();
    return point;
  }

  /** Shares for another replica; none where this one may not answer now. Does not block. */
  List<Share<Void>> sharesFor(List<KeyScope> scopes) {
    List<Share<Void>> taken = closed ? List.of() : shares.take(scopes);
    metrics.shares(scopes.size(), !taken.isEmpty());
    Position pending = Position.NONE;
    for (Share<Void> share : taken) {
      pending = share.pending().compareTo(pending) > 0 ? share.pending() : pending;
    }
    if (!pending.equals(Position.NONE) && news.reported(pending, System.nanoTime())) {
      turns.wake();
    }
    return taken;
  }

  /** The state has come further. Called very often. */
  void advanced() {
    if (barredAny) {
      turns.wake();
    }
  }

  /** Fails what waits. */
  void close() {
    closed = true;
    turns.end(
        () -> {
          rounds.close();
          barred.clear(late -> late.share().completeExceptionally(catchingUp()));
          for (Wanted next = wanted.poll(); next != null; next = wanted.poll()) {
            next.share().completeExceptionally(catchingUp());
          }
        });
  }

  private long turn() {
    long now = System.nanoTime();
    Position before = shares.applied();
    for (Wanted next = wanted.poll(); next != null; next = wanted.poll()) {
      barred.add(next.atLeast(), now + bounds.timeout().toNanos(), next);
    }
    barred.release(before, this::answer);
    long roundsDueAt = rounds.turn(now, now + Turns.IDLE_NANOS);
    barred.expire(now, late -> late.share().completeExceptionally(catchingUp()));
    barredAny = rounds.isBarred() || !barred.isEmpty();
    if (barredAny && !before.covers(shares.applied())) {
      // It may have come further before anybody knew that something waits for that.
      turns.wake();
    }
    return dueAt(now, roundsDueAt);
  }

  private long dueAt(long now, long roundsDueAt) {
    long due = barred.dueAt(roundsDueAt);
    Position applied = shares.applied();
    if (news.isAwaited(applied, now) && !division.getInfo().isLeader()) {
      if (news.isStandstill(applied, now)) {
        // What counts is the question, which makes the leader tell what is committed.
        leader.readPoint();
      }
      due = Math.min(due, now + CommitNews.STANDSTILL_NANOS);
    }
    return due;
  }

  private void answer(Wanted asked) {
    List<Share<Void>> now = sharesFor(List.of(asked.scope()));
    if (now.isEmpty()) {
      asked.share().completeExceptionally(catchingUp());
    } else {
      asked.share().complete(now.get(0));
    }
  }

  private static ConsensusException catchingUp() {
    return new ConsensusException.Unavailable(
        "This replica is catching up, or its members change, and it has no part in reads.");
  }

  private final class Self implements QuorumRounds.Replica {
    private final Executor inTurn;

    Self(Executor inTurn) {
      this.inTurn = inTurn;
    }

    @Override
    public List<Share<Void>> shares(List<KeyScope> scopes) {
      return sharesFor(scopes);
    }

    @Override
    public List<NodeId> others() {
      return peers.order();
    }

    @Override
    public CompletionStage<List<Share<Void>>> ask(NodeId other, List<KeyScope> scopes) {
      CompletableFuture<List<Share<Void>>> answer = new CompletableFuture<>();
      peers
          .askShares(other, scopes)
          .whenComplete(
              (given, failure) ->
                  inTurn.execute(
                      () -> {
                        if (failure == null) {
                          answer.complete(given);
                        } else {
                          answer.completeExceptionally(failure);
                        }
                      }));
      return answer;
    }

    @Override
    public void late(NodeId other) {
      peers.late(other);
    }

    @Override
    public Position executed() {
      return shares.applied();
    }

    @Override
    public long epoch() {
      return shares.epoch();
    }

    @Override
    public Optional<CompletionStage<Position>> askLeader() {
      metrics.passedToLeader();
      return Optional.of(leader.readPoint());
    }
  }
}
