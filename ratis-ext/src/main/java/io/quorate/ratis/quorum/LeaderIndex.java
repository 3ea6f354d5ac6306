package io.quorate.ratis.quorum;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Failures;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.Position;
import io.quorate.ratis.read.ConfirmedReads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;

/**
 * The index up to which the leader has committed, as it confirms it to this replica (PROTOCOLS B6).
 * One question is on its way at a time; who comes meanwhile shares the next, because the leader may
 * have noted the index of the present one already.
 */
final class LeaderIndex implements FollowerReads {
  private final RaftServer.Division division;
  private final ConfirmedReads confirmed;
  private final Peers peers;
  private final ReadMetrics metrics;
  private final Object lock = new Object();
  // Null where nobody waits.
  private CompletableFuture<Position> present;
  private CompletableFuture<Position> next;

  LeaderIndex(
      RaftServer.Division division, ConfirmedReads confirmed, Peers peers, ReadMetrics metrics) {
    this.division = division;
    this.confirmed = confirmed;
    this.peers = peers;
    this.metrics = metrics;
  }

  @Override
  public CompletionStage<Position> readPoint() {
    if (division.getInfo().isLeader()) {
      return confirmed.readIndex(false);
    }
    CompletableFuture<Position> begun;
    synchronized (lock) {
      if (present != null) {
        if (next == null) {
          next = new CompletableFuture<>();
        }
        return next;
      }
      present = new CompletableFuture<>();
      begun = present;
    }
    ask(begun);
    return begun;
  }

  private void ask(CompletableFuture<Position> waiting) {
    answerOrFailure()
        .whenComplete(
            (position, failure) -> {
              CompletableFuture<Position> following;
              synchronized (lock) {
                present = next;
                next = null;
                following = present;
              }
              if (following != null) {
                ask(following);
              }
              if (failure == null) {
                waiting.complete(position);
              } else {
                waiting.completeExceptionally(Failures.unwrap(failure));
              }
            });
  }

  /** Whatever is thrown, the next question must be able to go out. */
  private CompletionStage<Position> answerOrFailure() {
    try {
      return leaderAnswer();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable("The leader could not be asked: " + e.getMessage()));
    }
  }

  private CompletionStage<Position> leaderAnswer() {
    RaftPeerId leader = division.getInfo().getLeaderId();
    if (leader == null) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable("This replica knows of no leader."));
    }
    metrics.question();
    return leader.equals(division.getId())
        ? confirmed.readIndex(false)
        : peers.askReadIndex(leader);
  }
}
