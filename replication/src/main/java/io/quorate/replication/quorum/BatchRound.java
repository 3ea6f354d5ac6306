package io.quorate.replication.quorum;

import io.quorate.consensus.KeyScope;
import io.quorate.model.NodeId;
import io.quorate.quorum.Merged;
import io.quorate.quorum.QuorumMerge;
import io.quorate.quorum.ReadReply;
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
 * One round of a batch of quorum reads: decides which replicas are queried and when, and collects
 * their read replies. Used only on the replica's thread.
 */
final class BatchRound {
  private final QuorumReadBatcher.Replica replica;
  private final long hedgeNanos;
  private final NodeId self;
  private final List<QuorumRead> reads;
  private final List<KeyScope> scopes;

  /** The indexes of the reads that wait for a quorum. */
  private final BitSet open = new BitSet();

  private final Map<NodeId, List<ReadReply<Void>>> replies = new LinkedHashMap<>();
  private final ArrayDeque<NodeId> unqueried;
  private final Set<NodeId> awaited = new HashSet<>();
  private long requestedNanos;
  private long firstDeadlineNanos;

  /**
   * @param hedgeNanos the time after which the remaining replicas are queried too
   * @param own this replica's replies, one for each read
   */
  BatchRound(
      QuorumReadBatcher.Replica replica,
      long hedgeNanos,
      List<QuorumRead> reads,
      List<ReadReply<Void>> own,
      long nowNanos) {
    this.replica = replica;
    this.hedgeNanos = hedgeNanos;
    this.self = own.get(0).replica();
    this.reads = reads;
    this.scopes = reads.stream().map(QuorumRead::scope).toList();
    this.unqueried = new ArrayDeque<>(replica.others());
    this.requestedNanos = nowNanos;
    open.set(0, reads.size());
    updateFirstDeadline();
    add(own);
  }

  /**
   * Ends the round if it has a quorum; otherwise sends the requests that are due.
   *
   * @param expired receives the reads whose deadline has passed
   * @param merged receives each other read once there is a quorum, with its merged replies
   */
  void advance(
      long nowNanos, Consumer<QuorumRead> expired, BiConsumer<QuorumRead, Merged<Void>> merged) {
    if (!hasQuorum()) {
      expireReads(nowNanos, expired);
      if (nowNanos - requestedNanos >= hedgeNanos) {
        requestFromAll(nowNanos);
      }
      while (!hasQuorum()
          && !unqueried.isEmpty()
          && replies.size() + awaited.size() < quorum()
          && !open.isEmpty()) {
        requestFrom(unqueried.remove());
      }
    }
    if (hasQuorum()) {
      complete(merged);
    }
  }

  boolean hasEnded() {
    return open.isEmpty();
  }

  /** The time by which {@link #advance} must be called if no response arrives before. */
  long dueAt() {
    return QuorumReadBatcher.earlier(requestedNanos + hedgeNanos, firstDeadlineNanos);
  }

  /** Ends the round and returns the reads that have no quorum. */
  List<QuorumRead> close() {
    List<QuorumRead> pending = open.stream().mapToObj(reads::get).toList();
    open.clear();
    return pending;
  }

  private int quorum() {
    return replies.values().iterator().next().get(0).quorum();
  }

  private boolean hasQuorum() {
    return replies.size() >= quorum();
  }

  /** Adds replies, and discards all replies of older configurations (Q7, L8). */
  private void add(List<ReadReply<Void>> ofReplica) {
    replies.put(ofReplica.get(0).replica(), ofReplica);
    long newest = replies.values().stream().mapToLong(BatchRound::epoch).max().getAsLong();
    replies.values().removeIf(list -> epoch(list) < newest);
  }

  private static long epoch(List<ReadReply<Void>> ofReplica) {
    return ofReplica.get(0).epoch();
  }

  private void expireReads(long nowNanos, Consumer<QuorumRead> expired) {
    if (firstDeadlineNanos - nowNanos > 0) {
      return;
    }
    for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
      if (reads.get(i).isExpired(nowNanos)) {
        open.clear(i);
        expired.accept(reads.get(i));
      }
    }
    updateFirstDeadline();
  }

  private void updateFirstDeadline() {
    firstDeadlineNanos =
        open.stream()
            .mapToLong(i -> reads.get(i).deadlineNanos())
            .reduce(QuorumReadBatcher::earlier)
            .orElse(requestedNanos);
  }

  /**
   * Queries all replicas without a valid reply, including those that were not allowed to reply
   * before: they may be allowed now.
   */
  private void requestFromAll(long nowNanos) {
    if (open.isEmpty()) {
      return;
    }
    requestedNanos = nowNanos;
    awaited.forEach(replica::late);
    unqueried.clear();
    if (!replies.containsKey(self)) {
      List<ReadReply<Void>> own = replica.replies(scopes);
      if (!own.isEmpty()) {
        add(own);
      }
    }
    for (NodeId other : replica.others()) {
      if (!replies.containsKey(other) && !awaited.contains(other)) {
        requestFrom(other);
      }
    }
  }

  /** The response is only recorded; the next call of {@link #advance} processes it. */
  private void requestFrom(NodeId other) {
    awaited.add(other);
    replica
        .call(other, scopes)
        .whenComplete(
            (received, failure) -> {
              awaited.remove(other);
              if (failure == null && !received.isEmpty() && !hasEnded()) {
                add(received);
              }
            });
  }

  private void complete(BiConsumer<QuorumRead, Merged<Void>> merged) {
    for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
      List<ReadReply<Void>> ofRead = new ArrayList<>(replies.size());
      for (List<ReadReply<Void>> ofReplica : replies.values()) {
        ofRead.add(ofReplica.get(i));
      }
      QuorumRead read = reads.get(i);
      merged.accept(read, QuorumMerge.merge(ofRead, read.rule()));
    }
    open.clear();
  }
}
