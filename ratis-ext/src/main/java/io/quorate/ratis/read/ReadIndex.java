package io.quorate.ratis.read;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.ratis.guards.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.RaftLogIOException;

/**
 * Confirmed read indexes of one replica while it leads.
 *
 * <p>A read index is the commit index at the time a round of heartbeats begins, returned once a
 * majority has acknowledged that round. One round is in flight at a time; all reads that arrive
 * meanwhile share the next one. A new leader returns none before an entry of its own term has
 * committed (L9a).
 */
public final class ReadIndex {
  /**
   * One term as leader: a new term has new log appenders and a new leader state, and responses of
   * an earlier term do not count.
   */
  private final class Leadership {
    final LeaderState state;
    final Map<RaftPeerId, LogAppender> appenders = new HashMap<>();
    final Optional<LeaderLease> lease;

    /** The number of revocations of the lease that are not restored. */
    int revocations;

    /** The index of the configuration whose majorities granted the lease last. */
    long leaseConfiguration;

    volatile boolean isSilent;

    Leadership(LeaderState state) {
      this.state = state;
      this.lease = drift.map(allowed -> new LeaderLease(grant, allowed, System.nanoTime()));
    }
  }

  /**
   * A follower as its leader sees it: the last index known to match, and the time since its last
   * response.
   */
  public record Follower(RaftPeerId id, long matchIndex, Duration silent) {}

  /** A revocation of the lease of one term as leader. */
  public final class Revocation {
    private final Leadership ownTerm;
    private final CompletableFuture<Void> released;

    private Revocation(Leadership ownTerm, CompletableFuture<Void> released) {
      this.ownTerm = ownTerm;
      this.released = released;
    }

    /**
     * Completes when no voter has an unexpired lease grant for this leader; fails if no majority
     * confirms this leader.
     */
    public CompletableFuture<Void> released() {
      return released;
    }

    /** Allows the lease again, unless it has another revocation. To be called once. */
    public void restore() {
      synchronized (lock) {
        if (ownTerm != null && --ownTerm.revocations == 0) {
          ownTerm.lease.ifPresent(lease -> lease.restore(System.nanoTime()));
        }
      }
    }
  }

  /**
   * The log appender for one follower: it requests lease grants, and its responses are counted
   * here.
   */
  private final class ConfirmingAppender extends PacedLogAppender {
    private final Leadership ownTerm;

    ConfirmingAppender(Leadership ownTerm, FollowerInfo follower) {
      super(
          division,
          new ObservedLeaderState(ownTerm.state, ReadIndex.this::onReply, mayWrite),
          follower);
      this.ownTerm = ownTerm;
    }

    @Override
    public boolean shouldSendAppendEntries() {
      return !ownTerm.isSilent && super.shouldSendAppendEntries();
    }

    @Override
    public TermIndex shouldNotifyToInstallSnapshot() {
      return ownTerm.isSilent ? null : super.shouldNotifyToInstallSnapshot();
    }

    @Override
    public long getWaitTimeMs() {
      return ownTerm.isSilent ? PAUSE_MILLIS : super.getWaitTimeMs();
    }

    @Override
    public AppendEntriesRequestProto newAppendEntriesRequest(long callId, boolean heartbeat)
        throws RaftLogIOException {
      if (ownTerm.isSilent) {
        return null;
      }
      AppendEntriesRequestProto request = super.newAppendEntriesRequest(callId, heartbeat);
      return request == null || !requestsGrants(ownTerm)
          ? request
          : LeaseRequest.in(request, grant);
    }
  }

  /** A round, in flight or to begin, and the future of the reads that share it. */
  private static final class Pending {
    final CompletableFuture<Position> readIndex = new CompletableFuture<>();

    /** The index of the configuration whose majorities have confirmed the round. */
    long confirmedBy;

    HeartbeatRound<RaftPeerId, LogAppender> round;
    Position committed;
    long startedNanos;
  }

  private final RaftServer.Division division;
  private final Duration timeout;
  private final Duration grant;
  private final Optional<Duration> drift;
  private final BooleanSupplier mayWrite;

  private final Object lock = new Object();
  private Leadership leadership;
  private Pending current;
  private Pending next;

  /**
   * @param timeout how long a read waits for a majority
   * @param grant how long a voter's lease grant lasts
   * @param drift by how much clocks may diverge during a grant; empty for no leases
   * @param mayWrite whether a write of the term can be expected to reach the disk
   */
  public ReadIndex(
      RaftServer.Division division,
      Duration timeout,
      Duration grant,
      Optional<Duration> drift,
      BooleanSupplier mayWrite) {
    this.division = division;
    this.timeout = timeout;
    this.grant = grant;
    this.drift = drift;
    this.mayWrite = mayWrite;
  }

  /**
   * Creates the log appender for a follower, whose responses are counted here. Called by Ratis when
   * a replica becomes leader, and whenever it replaces an appender.
   */
  public LogAppender newLogAppender(LeaderState state, FollowerInfo follower) {
    Leadership ownTerm;
    List<Pending> abandoned = List.of();
    synchronized (lock) {
      if (leadership == null || leadership.state != state) {
        leadership = new Leadership(state);
        abandoned = abandonAll();
      }
      ownTerm = leadership;
    }
    fail(abandoned, "This replica has begun a new term as leader.");
    LogAppender appender = new ConfirmingAppender(ownTerm, follower);
    synchronized (lock) {
      ownTerm.appenders.put(follower.getId(), appender);
      if (current != null && leadership == ownTerm) {
        requestHeartbeat(current, appender);
      }
    }
    return appender;
  }

  private boolean requestsGrants(Leadership ownTerm) {
    synchronized (lock) {
      return ownTerm.lease.map(LeaderLease::requestsGrants).orElse(false);
    }
  }

  /**
   * To be called when this replica no longer leads: fails all waiting reads, because no follower
   * will respond.
   */
  public void stopLeading() {
    List<Pending> abandoned;
    synchronized (lock) {
      leadership = null;
      abandoned = abandonAll();
    }
    fail(abandoned, "This replica no longer leads.");
  }

  /**
   * To be called every few milliseconds: fails the waiting reads if no majority acknowledged the
   * round in time.
   */
  public void giveUpOverdue() {
    List<Pending> overdue = List.of();
    synchronized (lock) {
      if (current != null && System.nanoTime() - current.startedNanos > timeout.toNanos()) {
        overdue = abandonAll();
      }
    }
    fail(overdue, "No majority confirmed the leader within " + timeout.toMillis() + " ms.");
  }

  /**
   * Sends the commit index to the followers at once. Does not block; no effect if this replica does
   * not lead.
   */
  public void announceCommit() {
    synchronized (lock) {
      if (leadership != null) {
        leadership.appenders.values().forEach(LogAppender::triggerHeartbeat);
      }
    }
  }

  /**
   * Sends nothing more to the followers in this term as leader, so that they elect another leader,
   * and confirms no more reads. Does not block.
   */
  public void silence() {
    synchronized (lock) {
      if (leadership != null) {
        leadership.isSilent = true;
      }
    }
    stopLeading();
  }

  /** The followers that are members; none if this replica does not lead. */
  public List<Follower> followers() {
    RaftConfiguration members = division.getRaftConf();
    synchronized (lock) {
      return leadership == null
          ? List.of()
          : leadership.appenders.values().stream()
              .filter(appender -> members.getPeer(appender.getFollowerId()) != null)
              .map(ReadIndex::follower)
              .toList();
    }
  }

  /**
   * The followers that have everything this leader has, and so receive only heartbeats; none if
   * these request lease grants, or if this replica does not lead.
   */
  public List<FollowerInfo> idleFollowers() {
    RaftLog log = division.getRaftLog();
    long last = log.getNextIndex() - 1;
    long committed = log.getLastCommittedIndex();
    synchronized (lock) {
      if (leadership == null
          || leadership.isSilent
          || leadership.lease.isPresent()
          || committed < last) {
        return List.of();
      }
      return leadership.appenders.values().stream()
          .map(LogAppender::getFollower)
          .filter(each -> each.getMatchIndex() == last && each.getCommitIndex() == committed)
          .toList();
    }
  }

  private static Follower follower(LogAppender appender) {
    FollowerInfo info = appender.getFollower();
    return new Follower(
        info.getId(),
        info.getMatchIndex(),
        Duration.ofMillis(info.getLastRpcResponseTime().elapsedTimeMs()));
  }

  /**
   * Whether the follower has responded within {@code maxSilence} and lacks at most {@code entries}
   * entries.
   */
  public boolean isCaughtUp(RaftPeerId follower, long entries, Duration maxSilence) {
    LogAppender appender;
    synchronized (lock) {
      appender = leadership == null ? null : leadership.appenders.get(follower);
    }
    if (appender == null) {
      return false;
    }
    FollowerInfo info = appender.getFollower();
    return info.getLastRpcResponseTime().elapsedTimeMs() <= maxSilence.toMillis()
        && info.getMatchIndex() + entries
            >= division.getRaftLog().getLastEntryTermIndex().getIndex();
  }

  /**
   * Revokes the lease of the current term as leader, if it has one, until {@link
   * Revocation#restore}; meanwhile reads are confirmed one round at a time. Does not block.
   */
  public Revocation revokeLease() {
    Leadership ownTerm;
    synchronized (lock) {
      ownTerm = leadership;
      if (ownTerm == null || ownTerm.lease.isEmpty()) {
        return new Revocation(null, CompletableFuture.completedFuture(null));
      }
      ownTerm.lease.get().revoke();
      ownTerm.revocations++;
    }
    // A follower that responds in this round has responded to every message that requested a grant.
    Executor afterwards =
        CompletableFuture.delayedExecutor(
            grant.plus(drift.orElseThrow()).toMillis(), TimeUnit.MILLISECONDS);
    return new Revocation(ownTerm, readIndex(false).thenApplyAsync(confirmed -> null, afterwards));
  }

  /**
   * The index from which a read is linearizable. Does not block.
   *
   * @param mayUseLease whether the read accepts the assumption that clock drift is bounded
   */
  public CompletableFuture<Position> readIndex(boolean mayUseLease) {
    synchronized (lock) {
      if (!division.getInfo().isLeader()) {
        return CompletableFuture.failedFuture(new ConsensusException.Redirect(knownLeader()));
      }
      if (leadership == null && votersBesidesSelf() > 0 || !division.getInfo().isLeaderReady()) {
        return CompletableFuture.failedFuture(
            new ConsensusException.Unavailable("The leader is new and has not committed yet."));
      }
      if (mayUseLease && leadership != null && leadership.lease.isPresent()) {
        LeaderLease lease = leadership.lease.get();
        long now = System.nanoTime();
        if (lease.isValid(now) && isLeaseOfMembers()) {
          Position committed = committed();
          if (lease.isPastHalf(now)) {
            join();
          }
          return CompletableFuture.completedFuture(committed);
        }
      }
      return join();
    }
  }

  /**
   * Whether the present members granted the lease. Those of an earlier configuration do not prevent
   * an election that needs no vote of theirs.
   */
  private boolean isLeaseOfMembers() {
    return division.getRaftConf().getLogEntryIndex() == leadership.leaseConfiguration;
  }

  /** Joins a round that begins now or later. */
  private CompletableFuture<Position> join() {
    if (current == null) {
      Pending pending = new Pending();
      begin(pending);
      if (isConfirmed(pending)) {
        pending.readIndex.complete(pending.committed);
      } else {
        current = pending;
      }
      return pending.readIndex;
    }
    if (next == null) {
      next = new Pending();
    }
    return next.readIndex;
  }

  /** Begins a round and requests a heartbeat to each follower. */
  private void begin(Pending pending) {
    pending.committed = committed();
    pending.startedNanos = System.nanoTime();
    pending.round = new HeartbeatRound<>(division.getId());
    if (leadership != null) {
      leadership.appenders.values().forEach(appender -> requestHeartbeat(pending, appender));
    }
  }

  private static void requestHeartbeat(Pending pending, LogAppender appender) {
    pending.round.watch(appender, appender.getCallId());
    appender.triggerHeartbeat();
  }

  private void onReply(LogAppender appender, AppendEntriesReplyProto reply) {
    if (appender instanceof PacedLogAppender paced) {
      paced.updateBackpressure(reply);
    }
    if (reply.getResult() != AppendResult.SUCCESS) {
      return;
    }
    List<Pending> confirmed = new ArrayList<>();
    synchronized (lock) {
      if (current == null) {
        return;
      }
      if (!current.round.acknowledge(
          appender, appender.getFollowerId(), reply.getServerReply().getCallId())) {
        // The response is to a message from before the round. Ratis drops a requested heartbeat
        // when it sends a message that was already being created, so the heartbeat is requested
        // again.
        appender.triggerHeartbeat();
        return;
      }
      while (current != null && isConfirmed(current)) {
        confirmed.add(current);
        confirmLease(current);
        current = next;
        next = null;
        if (current != null) {
          begin(current);
        }
      }
    }
    confirmed.forEach(pending -> pending.readIndex.complete(pending.committed));
  }

  private void confirmLease(Pending pending) {
    if (leadership != null) {
      leadership.lease.ifPresent(lease -> lease.confirm(pending.startedNanos));
      leadership.leaseConfiguration = pending.confirmedBy;
    }
  }

  private List<Pending> abandonAll() {
    List<Pending> abandoned = new ArrayList<>();
    if (current != null) {
      abandoned.add(current);
    }
    if (next != null) {
      abandoned.add(next);
    }
    current = null;
    next = null;
    return abandoned;
  }

  private static void fail(List<Pending> abandoned, String reason) {
    for (Pending pending : abandoned) {
      pending.readIndex.completeExceptionally(new ConsensusException.Unavailable(reason));
    }
  }

  private boolean isConfirmed(Pending pending) {
    RaftConfiguration members = division.getRaftConf();
    pending.confirmedBy = members.getLogEntryIndex();
    return pending.round.isConfirmedBy(
        new Majority<>(
            members.getCurrentPeers().stream().map(RaftPeer::getId).toList(),
            members.getPreviousPeers().stream().map(RaftPeer::getId).toList()));
  }

  private long votersBesidesSelf() {
    return division.getRaftConf().getCurrentPeers().size() - 1L;
  }

  private Position committed() {
    return new Position(
        division.getInfo().getCurrentTerm(), division.getRaftLog().getLastCommittedIndex());
  }

  private Optional<NodeId> knownLeader() {
    return Optional.ofNullable(division.getInfo().getLeaderId())
        .map(leader -> new NodeId(leader.toString()));
  }
}
