package io.quorate.rabia.engine;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.Merged;
import io.quorate.consensus.quorum.Share;
import io.quorate.consensus.quorum.ShareMerge;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Quorum reads for which this replica asks the others (PROTOCOLS Q1 to Q9). Reads that arrive while
 * rounds are on their way share the next one: one message to each of as many others as a quorum
 * needs, and to the rest when those take long.
 *
 * <p>Offered by any thread; everything else is the replica's own.
 */
final class QuorumRounds {
  private static final int ROUNDS_MAX = 4;
  private static final int READS_A_ROUND = 1024;

  /** What rounds need of the replica. Called on its thread. */
  interface Replica {
    /** Its share, if it may answer (Q4, Q7). */
    Optional<Share<Void>> share(KeyScope scope);

    /** The other members, those first that are likely to answer; others first each time. */
    List<NodeId> others();

    /** Asks one of them; completes on the replica's thread. */
    CompletionStage<List<Share<Void>>> ask(NodeId other, List<KeyScope> scopes);

    Position executed();

    /** The epoch of the latest configuration among the executed slots. */
    long epoch();
  }

  private record Read(KeyScope scope, long deadlineNanos, CompletableFuture<Position> point) {}

  /** A read behind its barrier. */
  private record Barred(Read read, long epoch, Position barrier) {}

  private final class Round {
    final List<Read> reads;
    final List<List<Share<Void>>> shares = new ArrayList<>();
    final ArrayDeque<NodeId> unasked;
    final int needed;
    long askedNanos;
    int outstanding;
    boolean ended;

    Round(List<Read> reads, List<Share<Void>> own, long nowNanos) {
      this.reads = reads;
      this.needed = own.get(0).quorum();
      this.unasked = new ArrayDeque<>(replica.others());
      this.askedNanos = nowNanos;
      shares.add(own);
    }

    List<KeyScope> scopes() {
      return reads.stream().map(Read::scope).toList();
    }
  }

  private final Replica replica;
  private final Duration timeout;
  private final long hedgeNanos;
  private final int readsMax;
  private final Queue<Read> offered = new ConcurrentLinkedQueue<>();
  private final AtomicInteger open = new AtomicInteger();
  private final List<Round> rounds = new ArrayList<>();
  private final BarrierQueue<Barred> barred = new BarrierQueue<>();
  private volatile boolean closed;

  /**
   * @param timeout how long a read may take
   * @param hedge after how long the replicas are asked that were not asked at first (Q9)
   * @param readsMax most reads that have no answer
   */
  QuorumRounds(Replica replica, Duration timeout, Duration hedge, int readsMax) {
    this.replica = replica;
    this.timeout = timeout;
    this.hedgeNanos = hedge.toNanos();
    this.readsMax = readsMax;
  }

  /** Any thread. The replica's thread is to be woken. */
  CompletableFuture<Position> offer(KeyScope scope) {
    CompletableFuture<Position> point = new CompletableFuture<>();
    if (open.incrementAndGet() > readsMax) {
      open.decrementAndGet();
      point.completeExceptionally(overloaded());
      return point;
    }
    offered.add(new Read(scope, ReplicaClock.nanos() + timeout.toNanos(), point));
    if (closed) {
      point.completeExceptionally(closing());
    }
    return point;
  }

  /** Begins rounds, and ends reads whose barrier is executed; at the end of every turn. */
  void advance(long nowNanos) {
    barred.release(replica.executed(), this::passBarrier);
    while (!offered.isEmpty() && rounds.size() < ROUNDS_MAX) {
      begin(nowNanos);
    }
  }

  /** Asks more replicas where the first take long, and gives up what has taken too long. */
  void watch(long nowNanos) {
    barred.expire(nowNanos, late -> fail(late.read()));
    for (Round round : List.copyOf(rounds)) {
      if (round.reads.get(0).deadlineNanos() - nowNanos <= 0) {
        end(round);
        round.reads.forEach(this::fail);
      } else if (nowNanos - round.askedNanos > hedgeNanos) {
        askAll(round, nowNanos);
      }
    }
  }

  /** Whether {@link #watch} has something to do soon. */
  boolean isWaiting() {
    return !rounds.isEmpty();
  }

  void close() {
    closed = true;
    rounds.forEach(round -> round.reads.forEach(read -> finish(read, closing())));
    rounds.clear();
    barred.clear(late -> finish(late.read(), closing()));
    for (Read read = offered.poll(); read != null; read = offered.poll()) {
      finish(read, closing());
    }
  }

  private void begin(long nowNanos) {
    List<Read> reads = new ArrayList<>();
    List<Share<Void>> own = new ArrayList<>();
    while (reads.size() < READS_A_ROUND && !offered.isEmpty()) {
      Read read = offered.remove();
      Optional<Share<Void>> share = replica.share(read.scope());
      if (read.deadlineNanos() - nowNanos <= 0) {
        fail(read);
      } else if (read.point().isDone() || share.isEmpty()) {
        finish(read, new ConsensusException.Unavailable("This replica is catching up."));
      } else {
        reads.add(read);
        own.add(share.get());
      }
    }
    if (reads.isEmpty()) {
      return;
    }
    Round round = new Round(reads, own, nowNanos);
    rounds.add(round);
    if (round.needed == 1) {
      complete(round);
    }
    for (int i = 1; i < round.needed && !round.ended; i++) {
      ask(round);
    }
  }

  private void askAll(Round round, long nowNanos) {
    round.askedNanos = nowNanos;
    if (round.unasked.isEmpty() && round.outstanding == 0) {
      // Everybody has refused, perhaps because connections were lost: once more.
      round.unasked.addAll(replica.others());
    }
    while (!round.unasked.isEmpty() && !round.ended) {
      ask(round);
    }
  }

  private void ask(Round round) {
    NodeId other = round.unasked.poll();
    if (other == null) {
      return;
    }
    round.outstanding++;
    replica
        .ask(other, round.scopes())
        .whenComplete(
            (shares, failure) -> {
              round.outstanding--;
              if (round.ended) {
                return;
              }
              if (failure != null || shares.isEmpty()) {
                ask(round);
                return;
              }
              // A replica that is asked again counts once.
              round.shares.removeIf(
                  known -> known.get(0).replica().equals(shares.get(0).replica()));
              round.shares.add(shares);
              if (round.shares.size() >= round.needed) {
                complete(round);
              }
            });
  }

  private void complete(Round round) {
    end(round);
    for (int i = 0; i < round.reads.size(); i++) {
      List<Share<Void>> shares = new ArrayList<>(round.shares.size());
      for (List<Share<Void>> ofReplica : round.shares) {
        shares.add(ofReplica.get(i));
      }
      merged(round.reads.get(i), ShareMerge.merge(shares));
    }
    barred.release(replica.executed(), this::passBarrier);
  }

  private void merged(Read read, Merged<Void> merged) {
    if (merged instanceof Merged.Answer<Void> answer) {
      // A state at the newest share's position answers, whatever it knows beyond (Q3).
      barred.add(answer.at(), read.deadlineNanos(), new Barred(read, Long.MAX_VALUE, answer.at()));
    } else if (merged instanceof Merged.Wait<Void> wait) {
      barred.add(
          wait.barrier(), read.deadlineNanos(), new Barred(read, wait.epoch(), wait.barrier()));
    } else {
      // Q7: shares of different configurations.
      offered.add(read);
    }
  }

  private void passBarrier(Barred waiting) {
    if (ShareMerge.stillValid(waiting.epoch(), replica.epoch())) {
      open.decrementAndGet();
      waiting.read().point().complete(waiting.barrier());
    } else {
      offered.add(waiting.read());
    }
  }

  private void end(Round round) {
    round.ended = true;
    rounds.remove(round);
  }

  private void fail(Read read) {
    finish(
        read,
        new ConsensusException.Unavailable(
            "No quorum of replicas answered within "
                + timeout.toMillis()
                + " ms (rabia.read-timeout)."));
  }

  private void finish(Read read, ConsensusException why) {
    open.decrementAndGet();
    read.point().completeExceptionally(why);
  }

  static ConsensusException overloaded() {
    return new ConsensusException.Overloaded(
        "Too many quorum reads have no answer (rabia.quorum-reads-max).", Duration.ofMillis(20));
  }

  private static ConsensusException closing() {
    return new ConsensusException.Unavailable("This replica is closing.");
  }
}
