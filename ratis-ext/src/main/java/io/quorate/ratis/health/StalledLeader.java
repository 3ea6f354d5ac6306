package io.quorate.ratis.health;

import io.quorate.ratis.read.Followers.Follower;
import io.quorate.ratis.read.ReadIndex;
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
 * Transfers a group's leadership to a follower while this node's disk does not respond, without a
 * write to that disk.
 *
 * <p>A leadership transfer of Ratis ends with this replica in the next term, which it has to
 * persist under the monitor that all other operations need. Here a follower is requested to start
 * an election by itself. It refuses if its own disk has been stalled recently. Once it has
 * accepted, this replica sends nothing more as a leader, fails all waiting requests, and steps down
 * within its term; the guards keep the next term out until the disk responds.
 */
public final class StalledLeader {
  private static final Logger LOG = LoggerFactory.getLogger(StalledLeader.class);
  private static final Duration CATCH_UP = Duration.ofMillis(200);
  private static final Duration RESPONSE_TIMEOUT = Duration.ofMillis(500);
  private static final Duration RETRY_PAUSE = Duration.ofMillis(100);

  private final RaftServer server;
  private final RaftServer.Division division;
  private final RaftGroupId group;
  private final ReadIndex reads;
  private final DiskHealth health;
  private final Executor executor;
  private final Proposals proposals;
  private final ClientId self = ClientId.randomId();

  /** The proposals of this leader's clients. Any thread; does not block. */
  public interface Proposals {
    /** Appends nothing more to the log until {@link #resume}. */
    void pause();

    void resume();

    /** Fails all proposals that wait for this leader: a follower takes over. */
    void abandon();
  }

  /** Guarded by this, as are all fields below. */
  private final Succession succession;

  /** The revocation of the lease for a transfer; empty while the disk is healthy. */
  private Optional<ReadIndex.Revocation> revocation = Optional.empty();

  private long calls;

  /**
   * @param maxSilence a follower that has been silent for longer counts as unreachable
   * @param executor executes requests to followers, which may block for a few seconds
   */
  public StalledLeader(
      RaftServer.Division division,
      ReadIndex reads,
      DiskHealth health,
      Duration maxSilence,
      Executor executor,
      Proposals proposals) {
    this.server = division.getRaftServer();
    this.division = division;
    this.group = division.getGroup().getGroupId();
    this.reads = reads;
    this.health = health;
    this.executor = executor;
    this.proposals = proposals;
    this.succession = new Succession(maxSilence, CATCH_UP, RESPONSE_TIMEOUT, RETRY_PAUSE);
  }

  /** To be called many times a second, after {@link DiskHealth#tick}. Does not block. */
  public synchronized void tick(long nowNanos) {
    if (!division.getInfo().isLeader() || !health.isSlow(group)) {
      revocation.ifPresent(this::endTransfer);
      return;
    }
    // Early, because the voters' lease grants last for a while.
    if (revocation.isEmpty()) {
      revocation = Optional.of(reads.revokeLease());
    } else if (revocation.get().released().isCompletedExceptionally()) {
      revocation.get().restore();
      revocation = Optional.of(reads.revokeLease());
    }
    if (health.isStalled(group) && isReleased(revocation.get())) {
      List<Follower> followers = reads.followers().members();
      if (!health.isLogResponsive() && !succession.areMajority(followers)) {
        // Any other leader would need this node's log too: to be elected, and to commit.
        proposals.resume();
        return;
      }
      if (succession.isFirstRound(followers, nowNanos)) {
        // Entries appended now would reach one follower before the other, and a follower that lacks
        // them loses its election.
        proposals.pause();
      } else {
        proposals.resume();
      }
      succession.next(followers, lastIndex(), nowNanos).ifPresent(this::request);
    }
  }

  /** Ends the transfer: this replica leads as before, or no longer leads. */
  private void endTransfer(ReadIndex.Revocation revoked) {
    revoked.restore();
    revocation = Optional.empty();
    succession.reset();
    proposals.resume();
  }

  private long lastIndex() {
    return division.getRaftLog().getNextIndex() - 1;
  }

  private static boolean isReleased(ReadIndex.Revocation revocation) {
    return revocation.released().isDone() && !revocation.released().isCompletedExceptionally();
  }

  private void request(Follower follower) {
    long term = division.getInfo().getCurrentTerm();
    try {
      executor.execute(() -> requestNow(follower, term));
    } catch (RejectedExecutionException e) {
      LOG.debug("No follower is requested to lead: this node is closing", e);
    }
  }

  private void requestNow(Follower follower, long term) {
    boolean isAccepted = false;
    try {
      isAccepted =
          server
              .getServerRpc()
              .startLeaderElection(startElection(follower, term))
              .getServerReply()
              .getSuccess();
    } catch (IOException | RuntimeException e) {
      // Thrown on, it would be lost, and the leader would request no other follower.
      LOG.debug(
          "A follower did not respond to a leadership transfer group={} to={}", group, follower, e);
    }
    if (isAccepted) {
      transferred(follower, term);
    } else {
      synchronized (this) {
        succession.refused(System.nanoTime());
      }
    }
  }

  /**
   * Names the follower's match index as this leader's last entry, so that the follower lacks no
   * more entries.
   */
  private StartLeaderElectionRequestProto startElection(Follower follower, long term) {
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

  /**
   * Ends this leadership, so that another replica may be elected. Does not block.
   *
   * @param reason why, for the log
   */
  public void stepDown(String reason) {
    LOG.warn("The leader steps down, because {} region={}", reason, group);
    try {
      executor.execute(this::stepDownNow);
    } catch (RejectedExecutionException e) {
      LOG.debug("The leader does not step down: this node is closing", e);
    }
  }

  private void stepDownNow() {
    try {
      server.transferLeadershipAsync(
          new TransferLeadershipRequest(
              self, division.getId(), group, 0, null, RESPONSE_TIMEOUT.toMillis()));
    } catch (IOException e) {
      LOG.debug("This leader did not step down at once group={}", group, e);
    }
  }

  private void transferred(Follower follower, long term) {
    LOG.warn(
        "The disk of this node does not respond; a follower takes over region={} term={} to={}",
        group,
        term,
        follower.id());
    reads.silence();
    proposals.abandon();
    // Without this request it steps down once followers no longer respond, which is the case while
    // it sends nothing.
    stepDownNow();
  }
}
