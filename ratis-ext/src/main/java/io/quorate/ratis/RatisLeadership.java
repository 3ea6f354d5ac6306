package io.quorate.ratis;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Leadership;
import io.quorate.model.NodeId;
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
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.TransferLeadershipException;
import org.apache.ratis.server.RaftServer;

/**
 * Transfers leadership, but only to a member that can take it at once. Transfers run one after the
 * other: Ratis lets a request join a transfer in progress, and fails it with that one's timeout.
 */
final class RatisLeadership implements Leadership {
  /**
   * The maximum lag of the target. The group accepts no writes while a transfer waits for its
   * target, so the wait must be short.
   */
  private static final long BEHIND_ENTRIES_MAX = 1000;

  private static final long ELECTION_POLL_MILLIS = 20;

  private final RaftServer server;
  private final RaftServer.Division division;
  private final ReadIndex reads;
  private final Duration maxSilence;
  private final Executor executor;
  private final ClientId self = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();
  private final Executor whileElecting;

  /** Complete when no transfer is in progress. Never fails. */
  private final AtomicReference<CompletableFuture<Void>> idle =
      new AtomicReference<>(CompletableFuture.completedFuture(null));

  /**
   * @param maxSilence a member that has been silent for longer counts as unreachable, and one that
   *     has not been elected for longer as unable to lead
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
    this.whileElecting =
        CompletableFuture.delayedExecutor(ELECTION_POLL_MILLIS, TimeUnit.MILLISECONDS, executor);
  }

  @Override
  public CompletionStage<Void> transferTo(NodeId target, Duration timeout) {
    RaftPeerId peer = RaftIds.peerId(target);
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    return immediateOutcome(peer).orElseGet(() -> enqueue(peer, timeout, deadlineNanos));
  }

  /** The outcome if no transfer is necessary or possible. */
  private Optional<CompletableFuture<Void>> immediateOutcome(RaftPeerId peer) {
    if (!division.getInfo().isLeader()) {
      return Optional.of(CompletableFuture.failedFuture(redirect()));
    }
    if (peer.equals(division.getId())) {
      return Optional.of(CompletableFuture.completedFuture(null));
    }
    if (division.getRaftConf().getPeer(peer) == null) {
      return Optional.of(
          CompletableFuture.failedFuture(
              new ConsensusException.Invalid("Node " + peer + " is no member of the group.")));
    }
    return Optional.empty();
  }

  private CompletableFuture<Void> enqueue(RaftPeerId peer, Duration timeout, long deadlineNanos) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    CompletableFuture<Void> previous = idle.getAndSet(ended);
    CompletableFuture<Void> transfer =
        previous
            .copy()
            .completeOnTimeout(null, timeout.toNanos(), TimeUnit.NANOSECONDS)
            .thenCompose(turn -> submit(peer, deadlineNanos));
    CompletableFuture.allOf(previous, transfer)
        .whenComplete((done, failure) -> ended.complete(null));
    return transfer;
  }

  private CompletableFuture<Void> submit(RaftPeerId peer, long deadlineNanos) {
    if (millisUntil(deadlineNanos) < 1) {
      return noTimeLeft();
    }
    try {
      return CompletableFuture.supplyAsync(() -> transferNow(peer, deadlineNanos), executor)
          .thenCompose(stage -> stage);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable("This node is closing or has too much to do."));
    }
  }

  private CompletableFuture<Void> transferNow(RaftPeerId peer, long deadlineNanos) {
    Optional<CompletableFuture<Void>> immediate = immediateOutcome(peer);
    if (immediate.isPresent()) {
      return immediate.get();
    }
    if (!reads.followers().isCaughtUp(peer, BEHIND_ENTRIES_MAX, maxSilence)) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable(
              "Node " + peer + " is away or behind; leadership stays."));
    }
    ReadIndex.Revocation revocation = reads.revokeLease();
    return revocation
        .released()
        .thenCompose(released -> request(peer, attemptEndNanos(deadlineNanos)))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                revocation.restore();
              }
            });
  }

  /**
   * A target may refuse, because its disk has stalled, and Ratis does not end the transfer then:
   * the group would accept no writes until the deadline. In the time of an election at the latest
   * it accepts them again.
   */
  private long attemptEndNanos(long deadlineNanos) {
    long end = System.nanoTime() + maxSilence.toNanos();
    return end - deadlineNanos < 0 ? end : deadlineNanos;
  }

  private CompletableFuture<Void> request(RaftPeerId peer, long deadlineNanos) {
    // For Ratis, 0 means its own default.
    long millisLeft = millisUntil(deadlineNanos);
    if (millisLeft < 1) {
      return noTimeLeft();
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
      return server
          .transferLeadershipAsync(request)
          .thenCompose(reply -> outcome(reply, peer, deadlineNanos));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(new ConsensusException.Unavailable(e.getMessage()));
    }
  }

  private CompletableFuture<Void> outcome(
      RaftClientReply reply, RaftPeerId peer, long deadlineNanos) {
    RaftPeerId leader = division.getInfo().getLeaderId();
    if (reply.isSuccess() || peer.equals(leader)) {
      return CompletableFuture.completedFuture(null);
    }
    if (endedEarly(reply, deadlineNanos)) {
      if (leader == null) {
        return CompletableFuture.supplyAsync(
                () -> outcome(reply, peer, deadlineNanos), whileElecting)
            .thenCompose(stage -> stage);
      }
      return request(peer, deadlineNanos);
    }
    if (reply.getException() instanceof NotLeaderException) {
      return CompletableFuture.failedFuture(redirect());
    }
    return CompletableFuture.failedFuture(
        new ConsensusException.Unavailable(
            "Leadership was not transferred: " + reply.getException().getMessage()));
  }

  /**
   * Whether the timeout of an earlier transfer ended this one. Ratis 3.3.0 does not cancel the
   * timer of a transfer that has ended; it ends the transfer that is then in progress.
   */
  private static boolean endedEarly(RaftClientReply reply, long deadlineNanos) {
    return reply.getException() instanceof TransferLeadershipException
        && reply.getException().getMessage().contains("TIMED_OUT")
        && millisUntil(deadlineNanos) > 0;
  }

  private static long millisUntil(long deadlineNanos) {
    return TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
  }

  private static CompletableFuture<Void> noTimeLeft() {
    return CompletableFuture.failedFuture(
        new ConsensusException.Unavailable(
            "There was no time left for a transfer; leadership stays."));
  }

  private ConsensusException redirect() {
    return new ConsensusException.Redirect(
        Optional.ofNullable(division.getInfo().getLeaderId()).map(RaftIds::node));
  }
}
