package io.quorate.ratis.health;

import io.quorate.ratis.read.ConfirmedReads;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.util.ProtoUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands a group's leadership to a follower while this node's disk does not respond, without a write
 * to that disk.
 *
 * <p>A hand-over by Ratis' own means ends with this replica in the next term, which it has to write
 * down, under the monitor that everything else needs. Here a follower is requested to start an
 * election in its own right. It refuses if its own disk has been stalled lately. Once it has
 * accepted, this replica sends nothing more as a leader, fails what waits, and steps down within
 * its term; the fence keeps the next term out until the disk responds.
 */
public final class StalledLeader {
  private static final Logger LOG = LoggerFactory.getLogger(StalledLeader.class);
  private static final Duration CATCH_UP = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofMillis(500);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final RaftServer server;
  private final RaftServer.Division division;
  private final RaftGroupId group;
  private final ConfirmedReads reads;
  private final DiskHealth health;
  private final Executor executor;
  private final Proposals proposals;
  private final ClientId self = ClientId.randomId();

  /** What clients of this leader propose. Any thread; does not block. */
  public interface Proposals {
    /** Appends nothing more to the log for now. */
    void pause();

    void resume();

    /** Fails everything that waits for this leader: a follower takes over. */
    void abandon();
  }

  /** Guarded by this, as is all of what follows. */
  private final Succession succession;

  /** The end of the lease that a hand-over takes; empty while the disk is well. */
  private Optional<ConfirmedReads.Revocation> revocation = Optional.empty();

  private long calls;

  /**
   * @param heardLately a follower that has been silent for longer is taken to be away
   * @param executor for requests to followers, which may block for a few seconds
   */
  public StalledLeader(
      RaftServer.Division division,
      ConfirmedReads reads,
      DiskHealth health,
      Duration heardLately,
      Executor executor,
      Proposals proposals) {
    this.server = division.getRaftServer();
    this.division = division;
    this.group = division.getGroup().getGroupId();
    this.reads = reads;
    this.health = health;
    this.executor = executor;
    this.proposals = proposals;
    this.succession = new Succession(heardLately, CATCH_UP, PATIENCE, PAUSE);
  }

  /** To be called many times a second, after {@link DiskHealth#tick}. Does not block. */
  public synchronized void tick(long nowNanos) {
    if (!division.getInfo().isLeader() || !health.isSlow(group)) {
      revocation.ifPresent(this::goOn);
      return;
    }
    // Early, because voters keep their promises for a while.
    if (revocation.isEmpty()) {
      revocation = Optional.of(reads.revokeLease());
    } else if (revocation.get().released().isCompletedExceptionally()) {
      revocation.get().restore();
      revocation = Optional.of(reads.revokeLease());
    }
    if (health.isStalled(group) && isReleased(revocation.get())) {
      List<ConfirmedReads.Follower> followers = reads.followers();
      if (succession.isFirstRound(followers, nowNanos)) {
        // What is appended now would reach one follower before the other, and who lacks it loses.
        proposals.pause();
      } else {
        proposals.resume();
      }
      succession.next(followers, lastIndex(), nowNanos).ifPresent(this::request);
    }
  }

  /** This replica leads as before, or no more. */
  private void goOn(ConfirmedReads.Revocation revoked) {
    revoked.restore();
    revocation = Optional.empty();
    succession.reset();
    proposals.resume();
  }

  private long lastIndex() {
    return division.getRaftLog().getNextIndex() - 1;
  }

  private static boolean isReleased(ConfirmedReads.Revocation revocation) {
    return revocation.released().isDone() && !revocation.released().isCompletedExceptionally();
  }

  private void request(ConfirmedReads.Follower follower) {
    long term = division.getInfo().getCurrentTerm();
    try {
      executor.execute(() -> requestNow(follower, term));
    } catch (RejectedExecutionException e) {
      LOG.debug("No follower is requested to lead: this node is closing", e);
    }
  }

  private void requestNow(ConfirmedReads.Follower follower, long term) {
    boolean isAccepted = false;
    try {
      isAccepted =
          server
              .getServerRpc()
              .startLeaderElection(startElection(follower, term))
              .getServerReply()
              .getSuccess();
    } catch (IOException | RuntimeException e) {
      // Deadlines of gRPC among them, which are no IOExceptions.
      LOG.debug("A follower did not respond to a hand-over group={} to={}", group, follower, e);
    }
    if (isAccepted) {
      handedOver(follower, term);
    } else {
      synchronized (this) {
        succession.refused(System.nanoTime());
      }
    }
  }

  /** What the follower is known to have stands for this leader's last entry: it lacks no more. */
  private StartLeaderElectionRequestProto startElection(
      ConfirmedReads.Follower follower, long term) {
    long call;
    synchronized (this) {
      call = ++calls;
    }
    return StartLeaderElectionRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRequestorId(division.getId().toByteString())
                .setReplyId(follower.id().toByteString())
                .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(group))
                .setCallId(call))
        .setLeaderLastEntry(TermIndex.valueOf(term, Math.max(0, follower.matchIndex())).toProto())
        .build();
  }

  private void handedOver(ConfirmedReads.Follower follower, long term) {
    LOG.warn(
        "The disk of this node does not respond; a follower takes over region={} term={} to={}",
        group,
        term,
        follower.id());
    reads.silence();
    proposals.abandon();
    try {
      server.transferLeadershipAsync(
          new TransferLeadershipRequest(
              self, division.getId(), group, 0, null, PATIENCE.toMillis()));
    } catch (IOException e) {
      // It steps down by itself when followers no longer respond, which they do not when silent.
      LOG.debug("This leader did not step down at once group={}", group, e);
    }
  }
}
