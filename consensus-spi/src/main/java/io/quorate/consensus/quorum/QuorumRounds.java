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
import java.util.PriorityQueue;
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
 * <p>Reads are {@linkplain #offer offered} by any thread. Everything else happens in {@link #turn},
 * on the replica's thread: a turn does all that can be done at its time, and returns when the next
 * one is needed if nothing happens before. Whoever drives it also has a turn after each offer,
 * after each answer of another replica, and after the state has advanced while {@link #isBarred}.
 */
public final class QuorumRounds {
  private static final int READS_A_ROUND = 1024;

  /** Bytes of keys in one message; a longer scope travels alone. */
  private static final int BYTES_A_ROUND = 1 << 20;

  /**
   * The pause before a read that has to begin anew does so: twice as long each time. Both where
   * {@link QuorumRule#RETRY} meets a write on its way, and where the configuration has changed.
   */
  private static final long PAUSE_NANOS_LEAST = TimeUnit.MILLISECONDS.toNanos(1);

  private static final int PAUSE_DOUBLINGS_MOST = 5;

  /** What rounds need of the replica. Called on its thread, and does not block. */
  public interface Replica {
    /** Its shares of all scopes at one moment; empty if it may not answer (Q4, Q7, L7). */
    List<Share<Void>> shares(List<KeyScope> scopes);

    /** The other members, those first that are to be asked first. */
    List<NodeId> others();

    /**
     * Asks one of them.
     *
     * @return completes on the replica's thread, before a turn, and always: with nothing where that
     *     one may not answer, and exceptionally where it cannot be reached
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

  /** A read behind its barrier. */
  private record Barred(QuorumRead read, long epoch, Position barrier) {}

  /** A read that pauses before shares are taken anew. */
  private record Paused(QuorumRead read, long untilNanos) implements Comparable<Paused> {
    @Override
    public int compareTo(Paused other) {
      return Long.signum(untilNanos - other.untilNanos);
    }
  }

  private final Replica replica;
  private final QuorumBounds bounds;
  private final LongSupplier nanoClock;
  private final long timeoutNanos;
  private final long hedgeNanos;
  private final long patienceNanos;
  private final ReadBudget budget;

  /** The one thing that other threads write. */
  private final Queue<QuorumRead> offered = new ConcurrentLinkedQueue<>();

  private final List<QuorumRound> rounds = new ArrayList<>();
  private final PriorityQueue<Paused> paused = new PriorityQueue<>();

  /** Reads whose pause is over and for which there is no round yet. */
  private final ArrayDeque<QuorumRead> resumed = new ArrayDeque<>();

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
    offered.add(
        new QuorumRead(scope, rule, bytes, nanoClock.getAsLong() + patienceNanos, 0, point));
    if (closed) {
      point.completeExceptionally(closing());
    }
    return point;
  }

  /** How many reads have no answer. Any thread. */
  public int open() {
    return budget.reads();
  }

  /**
   * Does all that can be done now: ends reads whose barrier is executed or whose time is up, asks
   * more replicas where the first take long, and begins rounds.
   *
   * @param idleNanos when to look again if nothing waits
   * @return when the next turn is needed if nothing happens before
   */
  public long turn(long nowNanos, long idleNanos) {
    if (closed) {
      return idleNanos;
    }
    passBarriers(nowNanos);
    barred.expire(nowNanos, late -> giveUp(late.read()));
    rounds.forEach(round -> goOn(round, nowNanos));
    rounds.removeIf(QuorumRound::hasEnded);
    while (!paused.isEmpty() && paused.peek().untilNanos() - nowNanos <= 0) {
      resumed.add(paused.remove().read());
    }
    while (rounds.size() < bounds.roundsMax() && nextRead().isPresent()) {
      begin(nowNanos);
    }
    giveUpLateReads(nowNanos);
    // Of the rounds that have ended just now.
    passBarriers(nowNanos);
    return dueAt(idleNanos);
  }

  /** Whether a read waits for this replica's state. */
  public boolean isBarred() {
    return !barred.isEmpty();
  }

  /** Fails what waits, and what is offered later. On the replica's thread. */
  public void close() {
    closed = true;
    rounds.forEach(round -> round.close().forEach(QuorumRounds::failClosing));
    rounds.clear();
    paused.forEach(pause -> failClosing(pause.read()));
    paused.clear();
    barred.clear(late -> failClosing(late.read()));
    for (Optional<QuorumRead> read = nextRead(); read.isPresent(); read = nextRead()) {
      removeNextRead();
      failClosing(read.get());
    }
  }

  /** From the state alone, so that nothing that waits is forgotten. */
  private long dueAt(long idleNanos) {
    long due = barred.dueAt(idleNanos);
    for (QuorumRound round : rounds) {
      due = earlier(due, round.dueAt());
    }
    if (!paused.isEmpty()) {
      due = earlier(due, paused.peek().untilNanos());
    }
    for (QuorumRead read : resumed) {
      due = earlier(due, read.deadlineNanos());
    }
    QuorumRead first = offered.peek();
    return first == null ? due : earlier(due, first.deadlineNanos());
  }

  /** The earlier of two times of one clock, which may wrap around. */
  static long earlier(long one, long other) {
    return one - other < 0 ? one : other;
  }

  /** The read that begins next; those that have begun before come first. */
  private Optional<QuorumRead> nextRead() {
    return Optional.ofNullable(resumed.isEmpty() ? offered.peek() : resumed.peek());
  }

  private void removeNextRead() {
    if (resumed.isEmpty()) {
      offered.remove();
    } else {
      resumed.remove();
    }
  }

  private void begin(long nowNanos) {
    List<QuorumRead> reads = new ArrayList<>();
    int bytes = 0;
    for (Optional<QuorumRead> next = nextRead();
        next.isPresent() && reads.size() < READS_A_ROUND;
        next = nextRead()) {
      QuorumRead read = next.get();
      if (!reads.isEmpty() && bytes + read.bytes() > BYTES_A_ROUND) {
        break;
      }
      removeNextRead();
      if (read.isLate(nowNanos)) {
        giveUp(read);
      } else if (!read.point().isDone()) {
        bytes += read.bytes();
        reads.add(read);
      }
    }
    if (reads.isEmpty()) {
      return;
    }
    List<Share<Void>> own = replica.shares(reads.stream().map(QuorumRead::scope).toList());
    if (own.isEmpty()) {
      reads.forEach(
          read -> giveUp(read, new ConsensusException.Unavailable("This replica is catching up.")));
      return;
    }
    QuorumRound round = new QuorumRound(replica, hedgeNanos, reads, own, nowNanos);
    goOn(round, nowNanos);
    if (!round.hasEnded()) {
      rounds.add(round);
    }
  }

  private void goOn(QuorumRound round, long nowNanos) {
    round.goOn(nowNanos, this::giveUp, (read, merged) -> merged(read, merged, nowNanos));
  }

  /** Those that wait for a round; among what is offered, the oldest come first. */
  private void giveUpLateReads(long nowNanos) {
    resumed.removeIf(
        read -> {
          boolean isLate = read.isLate(nowNanos);
          if (isLate) {
            giveUp(read);
          }
          return isLate;
        });
    for (QuorumRead read = offered.peek();
        read != null && read.isLate(nowNanos);
        read = offered.peek()) {
      offered.remove();
      giveUp(read);
    }
  }

  private void merged(QuorumRead read, Merged<Void> merged, long nowNanos) {
    if (merged instanceof Merged.Answer<Void> answer) {
      // A state at the newest share's position answers, whatever it knows beyond (Q3).
      barred.add(answer.at(), read.deadlineNanos(), new Barred(read, Long.MAX_VALUE, answer.at()));
    } else if (merged instanceof Merged.Wait<Void> wait && read.rule() == QuorumRule.BARRIER) {
      barred.add(
          wait.barrier(), read.deadlineNanos(), new Barred(read, wait.epoch(), wait.barrier()));
    } else if (merged instanceof Merged.Wait<Void>) {
      pause(read, nowNanos);
    } else {
      throw new IllegalStateException("A whole quorum of one configuration gave " + merged);
    }
  }

  private void pause(QuorumRead read, long nowNanos) {
    long pause = PAUSE_NANOS_LEAST << Math.min(read.tries(), PAUSE_DOUBLINGS_MOST);
    paused.add(new Paused(read.again(), earlier(nowNanos + pause, read.deadlineNanos())));
  }

  private void passBarriers(long nowNanos) {
    barred.release(
        replica.executed(),
        waiting -> {
          if (ShareMerge.stillValid(waiting.epoch(), replica.epoch())) {
            waiting.read().point().complete(waiting.barrier());
          } else {
            pause(waiting.read(), nowNanos);
          }
        });
  }

  private void giveUp(QuorumRead read) {
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
  private void giveUp(QuorumRead read, ConsensusException why) {
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

  private static void failClosing(QuorumRead read) {
    read.point().completeExceptionally(closing());
  }

  private static ConsensusException closing() {
    return new ConsensusException.Unavailable("This replica is closing.");
  }
}
