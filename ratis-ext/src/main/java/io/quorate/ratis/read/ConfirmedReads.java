package io.quorate.ratis.read;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

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
    final Map<RaftPeerId, LogAppender> streams = new ConcurrentHashMap<>();
    final Optional<LeaderLease> lease;

    Leadership(LeaderState state) {
      this.state = state;
      this.lease = drift.map(allowed -> new LeaderLease(promise, allowed));
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

  private final Object lock = new Object();
  private Leadership leadership;
  private Pending current;
  private Pending next;

  /**
   * @param timeout how long a read waits for a majority
   * @param promise how long voters keep their promise, for leases
   * @param drift by how much clocks may disagree over the promise; empty for no leases
   */
  public ConfirmedReads(
      RaftServer.Division division, Duration timeout, Duration promise, Optional<Duration> drift) {
    this.division = division;
    this.timeout = timeout;
    this.promise = promise;
    this.drift = drift;
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
    LogAppender stream =
        new GrpcLogAppender(division, new ObservedLeaderState(state, this::onReply), follower);
    mine.streams.put(follower.getId(), stream);
    return stream;
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
   * Ends the lease until {@link #restoreLease}; reads are confirmed one round at a time meanwhile.
   */
  public void revokeLease() {
    withLease(LeaderLease::revoke);
  }

  public void restoreLease() {
    withLease(LeaderLease::restore);
  }

  private void withLease(Consumer<LeaderLease> action) {
    synchronized (lock) {
      if (leadership != null) {
        leadership.lease.ifPresent(action);
      }
    }
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
      if (begin(begun)) {
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

  /**
   * Asks the followers.
   *
   * @return whether nobody needs to be asked, because this replica is its own majority
   */
  private boolean begin(Pending pending) {
    pending.committed = committed();
    pending.startedNanos = System.nanoTime();
    pending.round = new ConfirmationRound<>(division.getId());
    if (leadership != null) {
      for (LogAppender stream : leadership.streams.values()) {
        pending.round.watch(stream, stream.getCallId());
        stream.triggerHeartbeat();
      }
    }
    return isConfirmed(pending);
  }

  private void onReply(LogAppender stream, AppendEntriesReplyProto reply) {
    if (reply.getResult() != AppendResult.SUCCESS) {
      return;
    }
    Pending confirmed;
    synchronized (lock) {
      if (current == null
          || !current.round.answered(
              stream, stream.getFollowerId(), reply.getServerReply().getCallId())
          || !isConfirmed(current)) {
        return;
      }
      confirmed = current;
      if (leadership != null) {
        leadership.lease.ifPresent(lease -> lease.confirmed(confirmed.startedNanos));
      }
      current = next;
      next = null;
      if (current != null) {
        begin(current);
      }
    }
    confirmed.readIndex.complete(confirmed.committed);
  }

  private List<Pending> abandonAll() {
    List<Pending> abandoned = Stream.of(current, next).filter(Objects::nonNull).toList();
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
