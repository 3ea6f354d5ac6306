package io.quorate.ratis.quorum;

import io.quorate.common.Failures;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.FollowerReads;
import io.quorate.model.Position;
import io.quorate.ratis.read.ReadIndex;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;

/**
 * The leader's commit index, as the leader confirms it to this replica (B6). One request is in
 * flight at a time; reads that arrive meanwhile share the next one, because the leader may already
 * have determined the index for the current one.
 */
final class FollowerReadIndex implements FollowerReads {
  private final RaftServer.Division division;
  private final ReadIndex confirmed;
  private final Peers peers;
  private final ReadMetrics metrics;
  private final Object lock = new Object();
  // Null if no read waits.
  private CompletableFuture<Position> current;
  private CompletableFuture<Position> next;

  FollowerReadIndex(
      RaftServer.Division division, ReadIndex confirmed, Peers peers, ReadMetrics metrics) {
    this.division = division;
    this.confirmed = confirmed;
    this.peers = peers;
    this.metrics = metrics;
  }

  @Override
  public CompletionStage<Position> readIndex() {
    if (division.getInfo().isLeader()) {
      return confirmed.readIndex(false);
    }
    CompletableFuture<Position> read;
    synchronized (lock) {
      if (current != null) {
        if (next == null) {
          next = new CompletableFuture<>();
        }
        return next;
      }
      current = new CompletableFuture<>();
      read = current;
    }
    sendRequest(read);
    return read;
  }

  private void sendRequest(CompletableFuture<Position> read) {
    responseOrFailure()
        .whenComplete(
            (position, failure) -> {
              CompletableFuture<Position> following;
              synchronized (lock) {
                current = next;
                next = null;
                following = current;
              }
              if (following != null) {
                sendRequest(following);
              }
              if (failure == null) {
                read.complete(position);
              } else {
                read.completeExceptionally(Failures.unwrap(failure));
              }
            });
  }

  /** Any exception becomes a failed future, so that the next request can be sent. */
  private CompletionStage<Position> responseOrFailure() {
    try {
      return queryLeader();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable(
              "The request to the leader failed: " + e.getMessage()));
    }
  }

  private CompletionStage<Position> queryLeader() {
    RaftPeerId leader = division.getInfo().getLeaderId();
    if (leader == null) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable("This replica knows of no leader."));
    }
    metrics.readIndexRequest();
    return leader.equals(division.getId())
        ? confirmed.readIndex(false)
        : peers.requestReadIndex(leader);
  }
}
