package io.quorate.consensus.quorum;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Reads that travel together: which replicas are asked for their shares and when, and the shares
 * that have come. On the replica's thread.
 */
final class QuorumRound {
  private final QuorumRounds.Replica replica;
  private final long hedgeNanos;
  private final NodeId self;
  private final List<QuorumRead> reads;
  private final List<KeyScope> scopes;

  /** The reads that still wait for a quorum. */
  private final BitSet open = new BitSet();

  private final Map<NodeId, List<Share<Void>>> shares = new LinkedHashMap<>();
  private final ArrayDeque<NodeId> unasked;
  private final Set<NodeId> unanswered = new HashSet<>();
  private long askedNanos;
  private long firstDeadlineNanos;

  /**
   * @param hedgeNanos after how long the rest of the replicas is asked too
   * @param own this replica's shares, one for each read
   */
  QuorumRound(
      QuorumRounds.Replica replica,
      long hedgeNanos,
      List<QuorumRead> reads,
      List<Share<Void>> own,
      long nowNanos) {
    this.replica = replica;
    this.hedgeNanos = hedgeNanos;
    this.self = own.get(0).replica();
    this.reads = reads;
    this.scopes = reads.stream().map(QuorumRead::scope).toList();
    this.unasked = new ArrayDeque<>(replica.others());
    this.askedNanos = nowNanos;
    open.set(0, reads.size());
    noteFirstDeadline();
    take(own);
  }

  /**
   * Ends, or asks whoever is to be asked now.
   *
   * @param late takes the reads whose time is up
   * @param merged takes the others once there is a quorum, with what its shares amount to
   */
  void goOn(long nowNanos, Consumer<QuorumRead> late, BiConsumer<QuorumRead, Merged<Void>> merged) {
    if (!hasQuorum()) {
      giveUpLate(nowNanos, late);
      if (nowNanos - askedNanos >= hedgeNanos) {
        askAll(nowNanos);
      }
      while (!hasQuorum()
          && !unasked.isEmpty()
          && shares.size() + unanswered.size() < quorum()
          && !open.isEmpty()) {
        ask(unasked.remove());
      }
    }
    if (hasQuorum()) {
      complete(merged);
    }
  }

  boolean hasEnded() {
    return open.isEmpty();
  }

  /** When {@link #goOn} has something to do that nothing else leads to. */
  long dueAt() {
    return QuorumRounds.earlier(askedNanos + hedgeNanos, firstDeadlineNanos);
  }

  /** Ends without an answer. Returns the reads that waited for one. */
  List<QuorumRead> close() {
    List<QuorumRead> unanswered = open.stream().mapToObj(reads::get).toList();
    open.clear();
    return unanswered;
  }

  private int quorum() {
    return shares.values().iterator().next().get(0).quorum();
  }

  private boolean hasQuorum() {
    return shares.size() >= quorum();
  }

  /** Shares of older configurations count as if they had not been given (Q7, L8). */
  private void take(List<Share<Void>> ofReplica) {
    shares.put(ofReplica.get(0).replica(), ofReplica);
    long newest = shares.values().stream().mapToLong(QuorumRound::epoch).max().getAsLong();
    shares.values().removeIf(of -> epoch(of) < newest);
  }

  private static long epoch(List<Share<Void>> ofReplica) {
    return ofReplica.get(0).epoch();
  }

  private void giveUpLate(long nowNanos, Consumer<QuorumRead> late) {
    if (firstDeadlineNanos - nowNanos > 0) {
      return;
    }
    for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
      if (reads.get(i).isLate(nowNanos)) {
        open.clear(i);
        late.accept(reads.get(i));
      }
    }
    noteFirstDeadline();
  }

  private void noteFirstDeadline() {
    firstDeadlineNanos =
        open.stream()
            .mapToLong(i -> reads.get(i).deadlineNanos())
            .reduce(QuorumRounds::earlier)
            .orElse(askedNanos);
  }

  /** Everybody of whom nothing counts so far, also those that refused: they may answer now. */
  private void askAll(long nowNanos) {
    if (open.isEmpty()) {
      return;
    }
    askedNanos = nowNanos;
    unanswered.forEach(replica::late);
    unasked.clear();
    if (!shares.containsKey(self)) {
      List<Share<Void>> own = replica.shares(scopes);
      if (!own.isEmpty()) {
        take(own);
      }
    }
    for (NodeId other : replica.others()) {
      if (!shares.containsKey(other) && !unanswered.contains(other)) {
        ask(other);
      }
    }
  }

  /** What comes is noted only; the turn that follows goes on from there. */
  private void ask(NodeId other) {
    unanswered.add(other);
    replica
        .ask(other, scopes)
        .whenComplete(
            (given, failure) -> {
              unanswered.remove(other);
              if (failure == null && !given.isEmpty() && !hasEnded()) {
                take(given);
              }
            });
  }

  private void complete(BiConsumer<QuorumRead, Merged<Void>> merged) {
    for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
      List<Share<Void>> ofRead = new ArrayList<>(shares.size());
      for (List<Share<Void>> ofReplica : shares.values()) {
        ofRead.add(ofReplica.get(i));
      }
      QuorumRead read = reads.get(i);
      merged.accept(read, ShareMerge.merge(ofRead, read.rule()));
    }
    open.clear();
  }
}
