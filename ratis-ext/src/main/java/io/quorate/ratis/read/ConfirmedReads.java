package io.quorate.ratis.read;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.ratis.fence.LeaseRequest;
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
import org.apache.ratis.server.raftlog.RaftLogIOException;

/**
 * Confirmed read indexes of one replica, while it leads.
 *
 * <p>A read index is the commit index at the time a round of heartbeats begins, handed out once a
 * majority has answered that round. One round is on its way at a time; all reads that arrive
 * meanwhile share the next. A new leader hands out none before an entry of its own term has
 * committed (PROTOCOLS L9a).
 */
public final class ConfirmedReads {
  /** One leadership: a new term has new streams and a new state, and old answers mean nothing. */
  private final class Leadership {
    final LeaderState state;
    final Map<RaftPeerId, LogAppender> streams = new HashMap<>();
    final Optional<LeaderLease> lease;

    /** How many want the lease to be off. */
    int revocations;

    volatile boolean isSilent;

    Leadership(LeaderState state) {
      this.state = state;
      this.lease = drift.map(allowed -> new LeaderLease(promise, allowed, System.nanoTime()));
    }
  }

  /** A follower as its leader sees it: up to where its log is known, and how long it is silent. */
  public record Follower(RaftPeerId id, long matchIndex, Duration silent) {}

  /** An end of one leadership's lease. */
  public final class Revocation {
    private final Leadership of;
    private final CompletableFuture<Void> released;

    private Revocation(Leadership of, CompletableFuture<Void> released) {
      this.of = of;
      this.released = released;
    }

    /**
     * Completes when no voter is bound by a promise to this leader any more; fails where reads
     * would.
     */
    public CompletableFuture<Void> released() {
      return released;
    }

    /**
     * Lets the lease be taken again, unless somebody else wants it to be off. To be called once.
     */
    public void restore() {
      synchronized (lock) {
        if (of != null && --of.revocations == 0) {
          of.lease.ifPresent(lease -> lease.restore(System.nanoTime()));
        }
      }
    }
  }

  /** Ratis' sender to one follower; it asks for the promises, and its answers are seen here. */
  private final class Stream extends PacedLogAppender {
    private final Leadership mine;

    Stream(Leadership mine, FollowerInfo follower) {
      super(
          division,
          new ObservedLeaderState(mine.state, ConfirmedReads.this::onReply, mayWrite),
          follower);
      this.mine = mine;
    }

    @Override
    public boolean shouldSendAppendEntries() {
      return !mine.isSilent && super.shouldSendAppendEntries();
    }

    @Override
    public TermIndex shouldNotifyToInstallSnapshot() {
      return mine.isSilent ? null : super.shouldNotifyToInstallSnapshot();
    }

    @Override
    public long getWaitTimeMs() {
      return mine.isSilent ? REST_MILLIS : super.getWaitTimeMs();
    }

    @Override
    public AppendEntriesRequestProto newAppendEntriesRequest(long callId, boolean heartbeat)
        throws RaftLogIOException {
      if (mine.isSilent) {
        return null;
      }
      AppendEntriesRequestProto request = super.newAppendEntriesRequest(callId, heartbeat);
      return request == null || !asksForPromises(mine)
          ? request
          : LeaseRequest.in(request, promise);
    }
  }

  /** A round under way, and who waits for it. */
  private static final class Pending {
    final CompletableFuture<Position> readIndex = new CompletableFuture<>();
    ConfirmationRound<RaftPeerId, LogAppender> round;
    Position committed;
    long startedNanos;
  }

  private final RaftServer.Division division;
  private final Duration timeout;
  private final Duration promise;
  private final Optional<Duration> drift;
  private final BooleanSupplier mayWrite;

  private final Object lock = new Object();
  private Leadership leadership;
  private Pending current;
  private Pending next;

  /**
   * @param timeout how long a read waits for a majority
   * @param promise how long voters keep their promise, for leases
   * @param drift by how much clocks may disagree over the promise; empty for no leases
   * @param mayWrite whether a write of the term can be expected to reach the disk
   */
  public ConfirmedReads(
      RaftServer.Division division,
      Duration timeout,
      Duration promise,
      Optional<Duration> drift,
      BooleanSupplier mayWrite) {
    this.division = division;
    this.timeout = timeout;
    this.promise = promise;
    this.drift = drift;
    this.mayWrite = mayWrite;
  }

  /**
   * Makes the sender for a follower such that its answers count here. Called by Ratis when a
   * replica becomes leader, and whenever it replaces a sender.
   */
  public LogAppender newLogAppender(LeaderState state, FollowerInfo follower) {
    Leadership mine;
    List<Pending> abandoned = List.of();
    synchronized (lock) {
      if (leadership == null || leadership.state != state) {
        leadership = new Leadership(state);
        abandoned = abandonAll();
      }
      mine = leadership;
    }
    fail(abandoned, "This replica has begun a new term as leader.");
    LogAppender stream = new Stream(mine, follower);
    synchronized (lock) {
      mine.streams.put(follower.getId(), stream);
      if (current != null && leadership == mine) {
        ask(current, stream);
      }
    }
    return stream;
  }

  private boolean asksForPromises(Leadership mine) {
    synchronized (lock) {
      return mine.lease.map(LeaderLease::asksForPromises).orElse(false);
    }
  }

  /** To be called when this replica no longer leads: nobody will answer. */
  public void stopLeading() {
    List<Pending> abandoned;
    synchronized (lock) {
      leadership = null;
      abandoned = abandonAll();
    }
    fail(abandoned, "This replica no longer leads.");
  }

  /** To be called every few milliseconds: gives up a round that no majority answered in time. */
  public void giveUpOverdue() {
    List<Pending> overdue = List.of();
    synchronized (lock) {
      if (current != null && System.nanoTime() - current.startedNanos > timeout.toNanos()) {
        overdue = abandonAll();
      }
    }
    fail(overdue, "No majority confirmed the leader within " + timeout.toMillis() + " ms.");
  }

  /** Tells followers at once what is committed. Does not block; nothing where this one follows. */
  public void announceCommit() {
    synchronized (lock) {
      if (leadership != null) {
        leadership.streams.values().forEach(LogAppender::triggerHeartbeat);
      }
    }
  }

  /**
   * Sends nothing more to followers of this leadership, so that they elect another leader, and
   * confirms no more reads. Does not block.
   */
  public void silence() {
    synchronized (lock) {
      if (leadership != null) {
        leadership.isSilent = true;
      }
    }
    stopLeading();
  }

  /** The followers; none where this replica does not lead. */
  public List<Follower> followers() {
    synchronized (lock) {
      return leadership == null
          ? List.of()
          : leadership.streams.values().stream().map(ConfirmedReads::follower).toList();
    }
  }

  private static Follower follower(LogAppender stream) {
    FollowerInfo info = stream.getFollower();
    return new Follower(
        info.getId(),
        info.getMatchIndex(),
        Duration.ofMillis(info.getLastRpcResponseTime().elapsedTimeMs()));
  }

  /** Whether the follower has answered lately and misses no more than {@code entries} entries. */
  public boolean isCaughtUp(RaftPeerId follower, long entries, Duration lately) {
    LogAppender stream;
    synchronized (lock) {
      stream = leadership == null ? null : leadership.streams.get(follower);
    }
    if (stream == null) {
      return false;
    }
    FollowerInfo info = stream.getFollower();
    return info.getLastRpcResponseTime().elapsedTimeMs() <= lately.toMillis()
        && info.getMatchIndex() + entries
            >= division.getRaftLog().getLastEntryTermIndex().getIndex();
  }

  /**
   * Ends the lease of the present leadership, if it has one, until that is undone; reads are
   * confirmed one round at a time meanwhile. Does not block.
   */
  public Revocation revokeLease() {
    Leadership mine;
    synchronized (lock) {
      mine = leadership;
      if (mine == null || mine.lease.isEmpty()) {
        return new Revocation(null, CompletableFuture.completedFuture(null));
      }
      mine.lease.get().revoke();
      mine.revocations++;
    }
    // Who answers this round has answered every message that asked for a promise.
    Executor afterwards =
        CompletableFuture.delayedExecutor(
            promise.plus(drift.orElseThrow()).toMillis(), TimeUnit.MILLISECONDS);
    return new Revocation(mine, readIndex(false).thenApplyAsync(confirmed -> null, afterwards));
  }

  /**
   * The index from which a read is linearizable. Does not block.
   *
   * @param mayUseLease whether the read accepts that clocks are assumed to be bounded
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
        if (lease.isValid(now)) {
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

  /** Joins a round that begins now or later. */
  private CompletableFuture<Position> join() {
    if (current == null) {
      Pending begun = new Pending();
      begin(begun);
      if (isConfirmed(begun)) {
        begun.readIndex.complete(begun.committed);
      } else {
        current = begun;
      }
      return begun.readIndex;
    }
    if (next == null) {
      next = new Pending();
    }
    return next.readIndex;
  }

  /** Asks the followers, if there are any. */
  private void begin(Pending pending) {
    pending.committed = committed();
    pending.startedNanos = System.nanoTime();
    pending.round = new ConfirmationRound<>(division.getId());
    if (leadership != null) {
      leadership.streams.values().forEach(stream -> ask(pending, stream));
    }
  }

  private static void ask(Pending pending, LogAppender stream) {
    pending.round.watch(stream, stream.getCallId());
    stream.triggerHeartbeat();
  }

  private void onReply(LogAppender stream, AppendEntriesReplyProto reply) {
    if (stream instanceof PacedLogAppender paced) {
      paced.heard(reply);
    }
    if (reply.getResult() != AppendResult.SUCCESS) {
      return;
    }
    List<Pending> confirmed = new ArrayList<>();
    synchronized (lock) {
      if (current == null) {
        return;
      }
      if (!current.round.answered(
          stream, stream.getFollowerId(), reply.getServerReply().getCallId())) {
        // An answer to a message from before the round. Ratis forgets a request for a heartbeat
        // when it sends a message that was under way already, so it is made again.
        stream.triggerHeartbeat();
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
      leadership.lease.ifPresent(lease -> lease.confirmed(pending.startedNanos));
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

  private static void fail(List<Pending> abandoned, String why) {
    for (Pending pending : abandoned) {
      pending.readIndex.completeExceptionally(new ConsensusException.Unavailable(why));
    }
  }

  private boolean isConfirmed(Pending pending) {
    RaftConfiguration members = division.getRaftConf();
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
