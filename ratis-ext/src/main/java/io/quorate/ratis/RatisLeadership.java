package io.quorate.ratis;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.NodeId;
import io.quorate.ratis.read.ReadIndex;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.server.RaftServer;

/** Transfers leadership, but only to a member that can take it at once. */
final class RatisLeadership implements Leadership {
  /**
   * The maximum lag of the target. The group accepts no writes while a transfer waits for its
   * target, so the wait must be short.
   */
  private static final long BEHIND_ENTRIES_MAX = 1000;

  private final RaftServer server;
  private final RaftServer.Division division;
  private final ReadIndex reads;
  private final Duration maxSilence;
  private final Executor executor;
  private final ClientId self = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();

  /**
   * @param maxSilence a member that has been silent for longer counts as unreachable
   */
  RatisLeadership(
      RaftServer server,
      RaftServer.Division division,
      ReadIndex reads,
      Duration maxSilence,
      Executor executor) {
    this.server = server;
    this.division = division;
    this.reads = reads;
    this.maxSilence = maxSilence;
    this.executor = executor;
  }

  @Override
  public CompletionStage<Void> transferTo(NodeId target, Duration timeout) {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    try {
      return CompletableFuture.supplyAsync(() -> transferNow(target, deadlineNanos), executor)
          .thenCompose(stage -> stage);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable("This node is closing or has too much to do."));
    }
  }

  private CompletableFuture<Void> transferNow(NodeId target, long deadlineNanos) {
    if (!division.getInfo().isLeader()) {
      return CompletableFuture.failedFuture(redirect());
    }
    RaftPeerId peer = RaftPeerId.valueOf(target.value());
    if (peer.equals(division.getId())) {
      return CompletableFuture.completedFuture(null);
    }
    if (division.getRaftConf().getPeer(peer) == null) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Invalid("Node " + target + " is no member of the group."));
    }
    if (!reads.isCaughtUp(peer, BEHIND_ENTRIES_MAX, maxSilence)) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable(
              "Node " + target + " is away or behind; leadership stays."));
    }
    ReadIndex.Revocation revocation = reads.revokeLease();
    return revocation
        .released()
        .thenCompose(released -> request(peer, deadlineNanos))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                revocation.restore();
              }
            });
  }

  private CompletableFuture<Void> request(RaftPeerId peer, long deadlineNanos) {
    long millisLeft = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    // For Ratis, 0 means its own default.
    if (millisLeft < 1) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable(
              "There was no time left for a transfer; leadership stays."));
    }
    TransferLeadershipRequest request =
        new TransferLeadershipRequest(
            self,
            division.getId(),
            division.getGroup().getGroupId(),
            calls.incrementAndGet(),
            peer,
            millisLeft);
    try {
      return server.transferLeadershipAsync(request).thenCompose(this::outcome);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(new ConsensusException.Unavailable(e.getMessage()));
    }
  }

  private CompletableFuture<Void> outcome(RaftClientReply reply) {
    if (reply.isSuccess()) {
      return CompletableFuture.completedFuture(null);
    }
    if (reply.getException() instanceof NotLeaderException) {
      return CompletableFuture.failedFuture(redirect());
    }
    return CompletableFuture.failedFuture(
        new ConsensusException.Unavailable(
            "Leadership was not transferred: " + reply.getException().getMessage()));
  }

  private ConsensusException redirect() {
    return new ConsensusException.Redirect(
        Optional.ofNullable(division.getInfo().getLeaderId()).map(id -> new NodeId(id.toString())));
  }
}
