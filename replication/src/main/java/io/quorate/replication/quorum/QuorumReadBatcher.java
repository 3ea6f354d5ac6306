package io.quorate.replication.quorum;

import io.quorate.common.Backoff;
import io.quorate.common.Budget;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.Merged;
import io.quorate.quorum.QuorumMerge;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
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
import java.util.function.LongSupplier;

/**
 * Batches the quorum reads of this replica into rounds (Q1 to Q9, L1 to L8). Reads that arrive
 * while rounds are in flight share the next round. A round sends one message to each of as many
 * other replicas as a quorum needs, and hedges: it sends to the remaining replicas when responses
 * take long.
 *
 * <p>Any thread may {@linkplain #offer offer} a read. All other work happens in {@link #turn}, on
 * the replica's thread. Each call does all work that is possible at its time and returns the time
 * of the next call. The caller must also call it after each offer, after each response of another
 * replica, and whenever the state has advanced while {@link #isBarred}.
 */
public final class QuorumReadBatcher {
  private static final int READS_PER_ROUND_MAX = 1024;

  /** The maximum size of the scopes in one round, in bytes; a larger scope has its own round. */
  private static final int BYTES_PER_ROUND_MAX = 1 << 20;

  /**
   * The backoff of a read that has to start again, because {@link QuorumRule#RETRY} met a pending
   * write or because the configuration has changed.
   */
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(1), Duration.ofMillis(32));

  /**
   * The replica to which the reads belong. Its methods are called on the replica's thread and must
   * not block.
   */
  public interface Replica {
    /**
     * This replica's read replies for all scopes, taken at one moment; empty if the rules do not
     * allow it to reply now (Q4, Q7, L7).
     */
    List<ReadReply<Void>> replies(List<KeyScope> scopes);

    /** The other members, in the order in which they are to be queried. */
    List<NodeId> others();

    /**
     * Requests the read replies of another member.
     *
     * @return always completes, on the replica's thread and before a call of {@link
     *     QuorumReadBatcher#turn}: with an empty list if the member is not allowed to reply now,
     *     and exceptionally if it cannot be reached
     */
    CompletionStage<List<ReadReply<Void>>> call(NodeId other, List<KeyScope> scopes);

    /** Reports that the response of a member is overdue. */
    default void late(NodeId other) {}

    /** The position up to which this replica's state is executed. */
    Position executed();

    /** The epoch of the latest configuration of this replica. */
    long epoch();

    /**
     * Requests a read index from the leader, for reads without a quorum in time (L5).
     *
     * @return empty in a group without a leader; the stage completes on any thread
     */
    Optional<CompletionStage<Position>> callLeader();
  }

  /**
   * A read that waits until the state covers its barrier.
   *
   * @param fallenBack whether the leader has been queried for it as well
   */
  private record BarrierRead(QuorumRead read, long epoch, Position barrier, boolean fallenBack) {}

  /** A read in backoff before it requests new replies. */
  private record DelayedRead(QuorumRead read, long untilNanos) implements Comparable<DelayedRead> {
    @Override
    public int compareTo(DelayedRead other) {
      return Long.signum(untilNanos - other.untilNanos);
    }
  }

  private final Replica replica;
  private final QuorumBounds bounds;
  private final LongSupplier nanoClock;
  private final long timeoutNanos;
  private final long hedgeNanos;
  private final long patienceNanos;
  private final Budget budget;

  /** Reads that wait for their first round; the only queue that other threads add to. */
  private final Queue<QuorumRead> offered = new ConcurrentLinkedQueue<>();

  private final List<BatchRound> rounds = new ArrayList<>();
  private final PriorityQueue<DelayedRead> delayed = new PriorityQueue<>();

  /** Reads whose backoff is over and that wait for a round. */
  private final ArrayDeque<QuorumRead> resumed = new ArrayDeque<>();

  private final PositionWaiters<BarrierRead> barrierReads = new PositionWaiters<>();
  private volatile boolean closed;

  /**
   * @param nanoClock the clock from which the caller takes {@code nowNanos}; called on any thread
   */
  public QuorumReadBatcher(Replica replica, QuorumBounds bounds, LongSupplier nanoClock) {
    this.replica = replica;
    this.bounds = bounds;
    this.nanoClock = nanoClock;
    this.timeoutNanos = bounds.timeout().toNanos();
    this.hedgeNanos = bounds.hedge().toNanos();
    this.patienceNanos = Math.min(bounds.patience().toNanos(), timeoutNanos);
    this.budget = bounds.newBudget();
  }

  /**
   * Adds a read. May be called from any thread; does not block. The caller must then have {@link
   * #turn} called on the replica's thread.
   *
   * @return completes with a position from which this replica's state may be read. Fails with
   *     {@link ConsensusException.Overloaded} if too many reads are pending, and with {@link
   *     ConsensusException.Unavailable} if no quorum and no leader responded in time, or if this
   *     object is closed. The caller may cancel the read by completing the future.
   */
  public CompletableFuture<Position> offer(KeyScope scope, QuorumRule rule) {
    CompletableFuture<Position> readIndex = new CompletableFuture<>();
    int bytes = QuorumReadCodec.bytes(scope);
    if (!budget.tryAcquireAnySizeAlone(bytes)) {
      readIndex.completeExceptionally(bounds.overloaded());
      return readIndex;
    }
    readIndex.whenComplete((done, failure) -> budget.release(bytes));
    offered.add(
        new QuorumRead(scope, rule, bytes, nanoClock.getAsLong() + patienceNanos, 0, readIndex));
    if (closed) {
      readIndex.completeExceptionally(closedFailure());
    }
    return readIndex;
  }

  /** The number of pending reads. May be called from any thread. */
  public int open() {
    return budget.requests();
  }

  /**
   * Does all work that is possible now: completes reads whose barrier is executed, fails reads at
   * their deadline or passes them to the leader, hedges slow rounds, and starts new rounds. Does
   * not block.
   *
   * @param idleNanos the latest time of the next call
   * @return the time of the next call, unless an event requires an earlier one
   */
  public long turn(long nowNanos, long idleNanos) {
    if (closed) {
      return idleNanos;
    }
    completeExecuted(nowNanos);
    barrierReads.expire(nowNanos, expired -> expire(expired, nowNanos));
    rounds.forEach(round -> advance(round, nowNanos));
    rounds.removeIf(BatchRound::hasEnded);
    while (!delayed.isEmpty() && delayed.peek().untilNanos() - nowNanos <= 0) {
      resumed.add(delayed.remove().read());
    }
    while (rounds.size() < bounds.roundsMax() && nextRead().isPresent()) {
      startRound(nowNanos);
    }
    expireReads(nowNanos);
    // For reads of the rounds that have just ended.
    completeExecuted(nowNanos);
    return dueAt(idleNanos);
  }

  /** Whether a read waits for this replica's state to advance. On the replica's thread. */
  public boolean isBarred() {
    return !barrierReads.isEmpty();
  }

  /** Fails all pending reads and all that are offered later. On the replica's thread. */
  public void close() {
    closed = true;
    rounds.forEach(round -> round.close().forEach(QuorumReadBatcher::failClosed));
    rounds.clear();
    delayed.forEach(waiter -> failClosed(waiter.read()));
    delayed.clear();
    barrierReads.clear(waiter -> failClosed(waiter.read()));
    for (Optional<QuorumRead> read = nextRead(); read.isPresent(); read = nextRead()) {
      removeNextRead();
      failClosed(read.get());
    }
  }

  /** Computed from the state alone, so that no pending read can be missed. */
  private long dueAt(long idleNanos) {
    long due = barrierReads.dueAt(idleNanos);
    for (BatchRound round : rounds) {
      due = earlier(due, round.dueAt());
    }
    if (!delayed.isEmpty()) {
      due = earlier(due, delayed.peek().untilNanos());
    }
    for (QuorumRead read : resumed) {
      due = earlier(due, read.deadlineNanos());
    }
    QuorumRead oldest = offered.peek();
    return oldest == null ? due : earlier(due, oldest.deadlineNanos());
  }

  /** The earlier of two times of one clock, which may wrap around. */
  static long earlier(long first, long second) {
    return first - second < 0 ? first : second;
  }

  /** The next read for a round; reads that start again precede new ones. */
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

  private void startRound(long nowNanos) {
    List<QuorumRead> reads = new ArrayList<>();
    int bytes = 0;
    for (Optional<QuorumRead> next = nextRead();
        next.isPresent() && reads.size() < READS_PER_ROUND_MAX;
        next = nextRead()) {
      QuorumRead read = next.get();
      if (!reads.isEmpty() && bytes + read.bytes() > BYTES_PER_ROUND_MAX) {
        break;
      }
      removeNextRead();
      if (read.isExpired(nowNanos)) {
        expire(read);
      } else if (!read.readIndex().isDone()) {
        bytes += read.bytes();
        reads.add(read);
      }
    }
    if (reads.isEmpty()) {
      return;
    }
    List<ReadReply<Void>> own = replica.replies(reads.stream().map(QuorumRead::scope).toList());
    if (own.isEmpty()) {
      reads.forEach(
          read ->
              fallBack(read, new ConsensusException.Unavailable("This replica is catching up.")));
      return;
    }
    BatchRound round = new BatchRound(replica, hedgeNanos, reads, own, nowNanos);
    advance(round, nowNanos);
    if (!round.hasEnded()) {
      rounds.add(round);
    }
  }

  private void advance(BatchRound round, long nowNanos) {
    round.advance(nowNanos, this::expire, (read, merged) -> handle(read, merged, nowNanos));
  }

  /** Expires reads that wait for a round. The offered reads are in the order of their arrival. */
  private void expireReads(long nowNanos) {
    resumed.removeIf(
        read -> {
          boolean isExpired = read.isExpired(nowNanos);
          if (isExpired) {
            expire(read);
          }
          return isExpired;
        });
    for (QuorumRead read = offered.peek();
        read != null && read.isExpired(nowNanos);
        read = offered.peek()) {
      offered.remove();
      expire(read);
    }
  }

  private void handle(QuorumRead read, Merged<Void> merged, long nowNanos) {
    if (merged instanceof Merged.Value<Void> result) {
      // A state at the position of the newest reply serves the read, whatever its epoch (Q3).
      barrierReads.add(
          result.at(),
          read.deadlineNanos(),
          new BarrierRead(read, Long.MAX_VALUE, result.at(), false));
    } else if (merged instanceof Merged.Wait<Void> wait && read.rule() == QuorumRule.BARRIER) {
      barrierReads.add(
          wait.barrier(),
          read.deadlineNanos(),
          new BarrierRead(read, wait.epoch(), wait.barrier(), false));
    } else if (merged instanceof Merged.Wait<Void>) {
      retryLater(read, nowNanos);
    } else {
      throw new IllegalStateException("A quorum of one configuration was merged to " + merged);
    }
  }

  private void retryLater(QuorumRead read, long nowNanos) {
    long untilNanos = nowNanos + BACKOFF.nanos(read.retries());
    delayed.add(new DelayedRead(read.retry(), earlier(untilNanos, read.deadlineNanos())));
  }

  private void completeExecuted(long nowNanos) {
    barrierReads.release(
        replica.executed(),
        waiter -> {
          if (QuorumMerge.stillValid(waiter.epoch(), replica.epoch())) {
            waiter.read().readIndex().complete(waiter.barrier());
          } else {
            retryLater(waiter.read(), nowNanos);
          }
        });
  }

  private void expire(QuorumRead read) {
    fallBack(read, noQuorum());
  }

  /**
   * Queries the leader, and waits for the barrier meanwhile: the state may reach it although the
   * leader does not respond to requests.
   */
  private void expire(BarrierRead expired, long nowNanos) {
    QuorumRead read = expired.read();
    if (read.readIndex().isDone()) {
      return;
    }
    Optional<CompletionStage<Position>> leader =
        expired.fallenBack() ? Optional.empty() : replica.callLeader();
    if (leader.isEmpty()) {
      read.readIndex().completeExceptionally(noQuorum());
      return;
    }
    leader.get().thenAccept(read.readIndex()::complete);
    barrierReads.add(
        expired.barrier(),
        nowNanos + timeoutNanos,
        new BarrierRead(read, expired.epoch(), expired.barrier(), true));
  }

  private ConsensusException noQuorum() {
    return new ConsensusException.Unavailable(
        "No quorum of replicas responded within "
            + Duration.ofNanos(timeoutNanos).toMillis()
            + " ms ("
            + bounds.section()
            + ".read-timeout).");
  }

  /**
   * Completes the read with a read index of the leader, or fails it if the group has no leader. The
   * timeout of the request to the leader is then the only bound on the duration of the read.
   *
   * @param failure the failure of the read in a group without a leader
   */
  private void fallBack(QuorumRead read, ConsensusException failure) {
    Optional<CompletionStage<Position>> leader = replica.callLeader();
    if (leader.isEmpty()) {
      read.readIndex().completeExceptionally(failure);
      return;
    }
    leader
        .get()
        .whenComplete(
            (position, leaderFailure) -> {
              if (leaderFailure == null) {
                read.readIndex().complete(position);
              } else {
                read.readIndex().completeExceptionally(leaderFailure);
              }
            });
  }

  private static void failClosed(QuorumRead read) {
    read.readIndex().completeExceptionally(closedFailure());
  }

  private static ConsensusException closedFailure() {
    return new ConsensusException.Unavailable("This replica is closing.");
  }
}
