package io.quorate.consensus.quorum;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Quorum reads for which this replica asks the others (PROTOCOLS Q1 to Q9, L1 to L8). Reads that
 * arrive while rounds are on their way share the next one: one message to each of as many others as
 * a quorum needs, and to the rest when those take long.
 *
 * <p>Offered by any thread; everything else is the replica's own.
 */
public final class QuorumRounds {
  private static final int READS_A_ROUND = 1024;

  /** Bytes of keys in one message; a longer scope travels alone. */
  private static final int BYTES_A_ROUND = 1 << 20;

  /** How long {@link QuorumRule#RETRY} pauses: twice as long each time, between these. */
  private static final long PAUSE_NANOS_LEAST = TimeUnit.MILLISECONDS.toNanos(1);

  private static final int PAUSE_DOUBLINGS_MOST = 5;

  /** What rounds need of the replica. Called on its thread. */
  public interface Replica {
    /** Its shares of all scopes at one moment; empty if it may not answer (Q4, Q7, L7). */
    List<Share<Void>> shares(List<KeyScope> scopes);

    /** The other members, those first that are to be asked first. */
    List<NodeId> others();

    /**
     * Asks one of them.
     *
     * @return completes on the replica's thread; with nothing where that one may not answer
     */
    CompletionStage<List<Share<Void>>> ask(NodeId other, List<KeyScope> scopes);

    /** It was overdue to hear from one of them. */
    default void late(NodeId other) {}

    /** Up to where this replica's state has come. */
    Position executed();

    /** The epoch of the latest configuration that this state knows. */
    long epoch();

    /**
     * The position that the leader reads from, for reads that a quorum does not answer in time
     * (L5).
     *
     * @return empty in a group without a leader; completes on any thread
     */
    Optional<CompletionStage<Position>> askLeader();
  }

  private record Read(
      KeyScope scope,
      QuorumRule rule,
      int bytes,
      long offeredNanos,
      int tries,
      CompletableFuture<Position> point) {
    Read again() {
      return new Read(scope, rule, bytes, offeredNanos, tries + 1, point);
    }
  }

  /** A read behind its barrier. */
  private record Barred(Read read, long epoch, Position barrier) {}

  /** A read that pauses before shares are taken anew. */
  private record Paused(Read read, long untilNanos) {}

  private final class Round {
    final List<Read> reads;
    final List<KeyScope> scopes;
    final List<List<Share<Void>>> shares = new ArrayList<>();
    final ArrayDeque<NodeId> unasked;
    final List<NodeId> unanswered = new ArrayList<>();
    int needed;
    long askedNanos;
    boolean ended;

    Round(List<Read> reads, List<Share<Void>> own, long nowNanos) {
      this.reads = reads;
      this.scopes = reads.stream().map(Read::scope).toList();
      this.unasked = new ArrayDeque<>(replica.others());
      this.askedNanos = nowNanos;
      take(own);
    }

    /**
     * Shares of older configurations count as if they had not been given (Q7, L8), and a replica
     * that is asked again counts once.
     */
    void take(List<Share<Void>> ofReplica) {
      NodeId from = ofReplica.get(0).replica();
      shares.removeIf(known -> known.get(0).replica().equals(from));
      shares.add(ofReplica);
      long newest = shares.stream().mapToLong(of -> of.get(0).epoch()).max().getAsLong();
      shares.removeIf(of -> of.get(0).epoch() < newest);
      needed = shares.get(0).get(0).quorum();
    }

    long oldestNanos() {
      return reads.get(0).offeredNanos();
    }
  }

  private final Replica replica;
  private final QuorumBounds bounds;
  private final LongSupplier nanoClock;
  private final long timeoutNanos;
  private final long hedgeNanos;
  private final long patienceNanos;
  private final ReadBudget budget;
  private final Queue<Read> offered = new ConcurrentLinkedQueue<>();
  private final List<Round> rounds = new ArrayList<>();
  private final List<Paused> paused = new ArrayList<>();
  private final BarrierQueue<Barred> barred = new BarrierQueue<>();
  private volatile boolean closed;

  /**
   * @param nanoClock the clock that the {@code nowNanos} of other calls are of
   */
  public QuorumRounds(Replica replica, QuorumBounds bounds, LongSupplier nanoClock) {
    this.replica = replica;
    this.bounds = bounds;
    this.nanoClock = nanoClock;
    this.timeoutNanos = bounds.timeout().toNanos();
    this.hedgeNanos = bounds.hedge().toNanos();
    this.patienceNanos = Math.min(bounds.patience().toNanos(), timeoutNanos);
    this.budget = new ReadBudget(bounds);
  }

  /** Begins a read. Any thread. The replica's thread is to be woken. */
  public CompletableFuture<Position> offer(KeyScope scope, QuorumRule rule) {
    CompletableFuture<Position> point = new CompletableFuture<>();
    int bytes = ShareExchange.bytes(scope);
    if (!budget.admit(bytes)) {
      point.completeExceptionally(budget.overloaded());
      return point;
    }
    point.whenComplete((done, failure) -> budget.release(bytes));
    offered.add(new Read(scope, rule, bytes, nanoClock.getAsLong(), 0, point));
    if (closed) {
      point.completeExceptionally(closing());
    }
    return point;
  }

  /** How many reads have no answer. Any thread. */
  public int open() {
    return budget.reads();
  }

  /** Begins rounds, and ends reads whose barrier is executed; at the end of every turn. */
  public void advance(long nowNanos) {
    barred.release(replica.executed(), this::passBarrier);
    while (!offered.isEmpty() && rounds.size() < bounds.roundsMax()) {
      begin(nowNanos);
    }
  }

  /** Asks more replicas where the first take long, and gives up what has taken too long. */
  public void watch(long nowNanos) {
    barred.expire(nowNanos, late -> giveUp(late.read()));
    for (Round round : List.copyOf(rounds)) {
      if (round.oldestNanos() + patienceNanos - nowNanos <= 0) {
        end(round);
        round.reads.forEach(this::giveUp);
      } else if (nowNanos - round.askedNanos > hedgeNanos) {
        askAll(round, nowNanos);
      }
    }
    paused.removeIf(
        pause -> {
          boolean isOver = pause.untilNanos() - nowNanos <= 0;
          if (isOver) {
            offered.add(pause.read());
          }
          return isOver;
        });
  }

  /**
   * When {@link #watch} has something to do, if nothing happens before.
   *
   * @param idleNanos when to look if nothing waits
   */
  public long dueAt(long nowNanos, long idleNanos) {
    if (!paused.isEmpty()) {
      return nowNanos + Math.min(PAUSE_NANOS_LEAST, hedgeNanos);
    }
    return rounds.isEmpty() && barred.isEmpty() ? idleNanos : nowNanos + hedgeNanos;
  }

  /** Whether a read waits for this replica's state. */
  public boolean isBarred() {
    return !barred.isEmpty();
  }

  /** Fails what waits, and what is offered later. */
  public void close() {
    closed = true;
    rounds.forEach(round -> round.reads.forEach(QuorumRounds::failClosing));
    rounds.clear();
    paused.forEach(pause -> failClosing(pause.read()));
    paused.clear();
    barred.clear(late -> failClosing(late.read()));
    for (Read read = offered.poll(); read != null; read = offered.poll()) {
      failClosing(read);
    }
  }

  private void begin(long nowNanos) {
    List<Read> reads = new ArrayList<>();
    int bytes = 0;
    while (reads.size() < READS_A_ROUND && !offered.isEmpty()) {
      if (!reads.isEmpty() && bytes + offered.peek().bytes() > BYTES_A_ROUND) {
        break;
      }
      Read read = offered.remove();
      if (read.offeredNanos() + patienceNanos - nowNanos <= 0) {
        giveUp(read);
      } else if (!read.point().isDone()) {
        bytes += read.bytes();
        reads.add(read);
      }
    }
    if (reads.isEmpty()) {
      return;
    }
    List<Share<Void>> own = replica.shares(reads.stream().map(Read::scope).toList());
    if (own.isEmpty()) {
      reads.forEach(
          read -> giveUp(read, new ConsensusException.Unavailable("This replica is catching up.")));
      return;
    }
    Round round = new Round(reads, own, nowNanos);
    rounds.add(round);
    goOn(round);
  }

  /** Ends the round if there are enough shares; asks as many more replicas as are needed. */
  private void goOn(Round round) {
    if (round.shares.size() >= round.needed) {
      complete(round);
      return;
    }
    while (!round.ended
        && !round.unasked.isEmpty()
        && round.shares.size() + round.unanswered.size() < round.needed) {
      ask(round, round.unasked.remove());
    }
  }

  private void askAll(Round round, long nowNanos) {
    round.askedNanos = nowNanos;
    round.unanswered.forEach(replica::late);
    if (round.unasked.isEmpty() && round.unanswered.isEmpty()) {
      // Everybody has refused, perhaps because connections were lost: once more.
      round.unasked.addAll(replica.others());
    }
    while (!round.unasked.isEmpty() && !round.ended) {
      ask(round, round.unasked.remove());
    }
  }

  private void ask(Round round, NodeId other) {
    round.unanswered.add(other);
    replica
        .ask(other, round.scopes)
        .whenComplete(
            (shares, failure) -> {
              round.unanswered.remove(other);
              if (round.ended) {
                return;
              }
              if (failure == null && !shares.isEmpty()) {
                round.take(shares);
              }
              goOn(round);
            });
  }

  private void complete(Round round) {
    end(round);
    for (int i = 0; i < round.reads.size(); i++) {
      List<Share<Void>> shares = new ArrayList<>(round.shares.size());
      for (List<Share<Void>> ofReplica : round.shares) {
        shares.add(ofReplica.get(i));
      }
      Read read = round.reads.get(i);
      merged(read, ShareMerge.merge(shares, read.rule()));
    }
    barred.release(replica.executed(), this::passBarrier);
  }

  private void merged(Read read, Merged<Void> merged) {
    long deadline = read.offeredNanos() + patienceNanos;
    if (merged instanceof Merged.Answer<Void> answer) {
      // A state at the newest share's position answers, whatever it knows beyond (Q3).
      barred.add(answer.at(), deadline, new Barred(read, Long.MAX_VALUE, answer.at()));
    } else if (merged instanceof Merged.Wait<Void> wait && read.rule() == QuorumRule.BARRIER) {
      barred.add(wait.barrier(), deadline, new Barred(read, wait.epoch(), wait.barrier()));
    } else if (merged instanceof Merged.Wait<Void>) {
      long pause = PAUSE_NANOS_LEAST << Math.min(read.tries(), PAUSE_DOUBLINGS_MOST);
      paused.add(new Paused(read.again(), nanoClock.getAsLong() + pause));
    } else {
      throw new IllegalStateException("A whole quorum of one configuration gave " + merged);
    }
  }

  private void passBarrier(Barred waiting) {
    if (ShareMerge.stillValid(waiting.epoch(), replica.epoch())) {
      waiting.read().point().complete(waiting.barrier());
    } else {
      offered.add(waiting.read());
    }
  }

  private void end(Round round) {
    round.ended = true;
    rounds.remove(round);
  }

  private void giveUp(Read read) {
    giveUp(
        read,
        new ConsensusException.Unavailable(
            "No quorum of replicas answered within "
                + Duration.ofNanos(timeoutNanos).toMillis()
                + " ms ("
                + bounds.section()
                + ".read-timeout)."));
  }

  /**
   * Goes to the leader if there is one; the read waits for its answer no longer than that takes.
   */
  private void giveUp(Read read, ConsensusException why) {
    Optional<CompletionStage<Position>> leader = replica.askLeader();
    if (leader.isEmpty()) {
      read.point().completeExceptionally(why);
      return;
    }
    leader
        .get()
        .whenComplete(
            (position, failure) -> {
              if (failure == null) {
                read.point().complete(position);
              } else {
                read.point().completeExceptionally(failure);
              }
            });
  }

  private static void failClosing(Read read) {
    read.point().completeExceptionally(closing());
  }

  private static ConsensusException closing() {
    return new ConsensusException.Unavailable("This replica is closing.");
  }
}
