package io.quorate.ratis.read;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.ratis.heartbeat.GroupTerm;
import io.quorate.replication.quorum.Majority;
import io.quorate.replication.threads.SharedLoops;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
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
 * Confirmed read indexes of one replica while it leads.
 *
 * <p>A read index is the commit index at the time a round begins, returned once a majority has
 * confirmed in that round that this replica still leads. One round is in flight at a time; all
 * reads that arrive meanwhile share the next one. A new leader returns none before an entry of its
 * own term has committed (L9a).
 *
 * <p>A follower confirms by responding to a message of the leader that was created after the round
 * began. Without leases that is a request which all groups of a node share ({@link
 * ConfirmationSender}), to as many followers as a majority needs, and soon to the others ({@link
 * Confirmers}); where it is not confirmed then, and with leases, whose grants are requested in
 * them, it is a heartbeat.
 */
public final class ReadIndex {
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
        if (ownTerm != null) {
          ownTerm.restoreLease(System.nanoTime());
        }
      }
    }
  }

  /** After this time without a confirmation, a round continues with heartbeats. */
  private static final Duration CONFIRMATION_PATIENCE = Duration.ofMillis(50);

  private final RaftServer.Division division;
  private final Duration timeout;
  private final Duration grant;
  private final Optional<Duration> drift;
  private final BooleanSupplier mayWrite;
  private final Optional<ConfirmationSender> confirmations;
  private final SharedLoops appenders;
  private final Followers followers;
  private final RoundRequests requests;

  private final Object lock = new Object();
  private Leadership leadership;
  private ReadRound current;
  private ReadRound next;

  /** Whether {@link #widenIfLate} runs soon. */
  private boolean isWatched;

  /**
   * @param timeout how long a read waits for a majority
   * @param grant how long a voter's lease grant lasts
   * @param drift by how much clocks may diverge during a grant; empty for no leases
   * @param mayWrite whether a write of the term can be expected to reach the disk
   * @param confirmations requests confirmations together with other groups; empty for heartbeats
   *     only. Not used with leases.
   * @param appenders run the log appenders
   */
  public ReadIndex(
      RaftServer.Division division,
      Duration timeout,
      Duration grant,
      Optional<Duration> drift,
      BooleanSupplier mayWrite,
      Optional<ConfirmationSender> confirmations,
      SharedLoops appenders) {
    this.division = division;
    this.timeout = timeout;
    this.grant = grant;
    this.drift = drift;
    this.mayWrite = mayWrite;
    this.confirmations = drift.isPresent() ? Optional.empty() : confirmations;
    this.appenders = appenders;
    this.followers = new Followers(division, this::presentFollowers, this::lostFollowers);
    this.requests = new RoundRequests(division, this.confirmations.isPresent());
  }

  /**
   * Creates the log appender for a follower, whose responses are counted here. Called by Ratis when
   * a replica becomes leader, and whenever it replaces an appender.
   */
  public LogAppender newLogAppender(LeaderState state, FollowerInfo follower) {
    Leadership ownTerm;
    List<ReadRound> abandoned = List.of();
    synchronized (lock) {
      if (leadership == null || leadership.state != state) {
        leadership =
            new Leadership(
                state, drift.map(allowed -> new LeaderLease(grant, allowed, System.nanoTime())));
        abandoned = abandonAll();
      }
      ownTerm = leadership;
    }
    fail(abandoned, "This replica has begun a new term as leader.");
    LogAppender appender =
        new ConfirmingAppender(
            division,
            ownTerm,
            new ObservedLeaderState(state, this::onReply, mayWrite),
            follower,
            appenders,
            grant,
            () -> requestsGrants(ownTerm));
    synchronized (lock) {
      ownTerm.appenders.put(follower.getId(), appender);
      if (current != null && leadership == ownTerm) {
        requests.add(leadership, current, appender);
      }
    }
    sendOutgoing();
    return appender;
  }

  private boolean requestsGrants(Leadership ownTerm) {
    synchronized (lock) {
      return ownTerm.requestsGrants();
    }
  }

  /**
   * To be called when this replica no longer leads: fails all waiting reads, because no follower
   * will respond.
   */
  public void stopLeading() {
    List<ReadRound> abandoned;
    synchronized (lock) {
      leadership = null;
      abandoned = abandonAll();
    }
    fail(abandoned, "This replica no longer leads.");
  }

  /**
   * To be called many times a second: fails the waiting reads if no majority confirmed the round in
   * time, and requests heartbeats if it did not soon.
   */
  public void giveUpOverdue() {
    List<ReadRound> overdue = List.of();
    synchronized (lock) {
      long age = current == null ? 0 : System.nanoTime() - current.startedNanos;
      if (age > timeout.toNanos()) {
        overdue = abandonAll();
      } else if (age > CONFIRMATION_PATIENCE.toNanos() && !current.isLate && leadership != null) {
        current.isLate = true;
        requests.heartbeats(leadership, current);
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

  /** The followers while this replica leads. */
  public Followers followers() {
    return followers;
  }

  private Set<RaftPeerId> lostFollowers() {
    synchronized (lock) {
      return leadership == null ? Set.of() : leadership.lost;
    }
  }

  private List<FollowerInfo> presentFollowers() {
    synchronized (lock) {
      return leadership == null
          ? List.of()
          : leadership.appenders.values().stream().map(LogAppender::getFollower).toList();
    }
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
      ownTerm.revokeLease();
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
    CompletableFuture<Position> index = joinRound(mayUseLease);
    sendOutgoing();
    return index;
  }

  private CompletableFuture<Position> joinRound(boolean mayUseLease) {
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
      ReadRound round = new ReadRound();
      begin(round);
      if (isConfirmed(round)) {
        round.readIndex.complete(round.committed);
      } else {
        current = round;
      }
      return round.readIndex;
    }
    if (next == null) {
      next = new ReadRound();
    }
    return next.readIndex;
  }

  /** Begins a round. The requests to followers are sent by {@link #sendOutgoing}. */
  private void begin(ReadRound round) {
    round.committed = committed();
    round.startedNanos = System.nanoTime();
    round.votes = new ConfirmationRound<>(division.getId());
    if (leadership != null && requests.begin(leadership, round)) {
      watch(requests.patienceNanos());
    }
  }

  private void watch(long nanos) {
    if (!isWatched) {
      isWatched = confirmations.orElseThrow().after(nanos, this::widenIfLate);
    }
  }

  private void widenIfLate() {
    synchronized (lock) {
      isWatched = false;
      if (current == null || current.isWide || leadership == null) {
        return;
      }
      long left = requests.patienceNanos() - (System.nanoTime() - current.startedNanos);
      if (left > 0) {
        watch(left);
        return;
      }
      requests.late(leadership, current);
    }
    sendOutgoing();
  }

  /** To be called without the lock after whatever may have begun a round. */
  private void sendOutgoing() {
    List<RoundRequests.Outgoing> outgoing;
    synchronized (lock) {
      outgoing = requests.take();
    }
    for (RoundRequests.Outgoing each : outgoing) {
      confirmations
          .orElseThrow()
          .request(
              new NodeId(each.follower().getFollowerId().toString()),
              new GroupTerm(division.getGroup().getGroupId(), each.term()),
              isConfirmed -> onConfirmation(each, isConfirmed));
    }
  }

  private void onConfirmation(RoundRequests.Outgoing request, boolean isConfirmed) {
    List<ReadRound> confirmed = new ArrayList<>();
    synchronized (lock) {
      if (current != request.round()) {
        return;
      }
      if (isConfirmed) {
        requests.confirmed(current, request.follower());
        confirmed.addAll(takeConfirmed());
      } else {
        requests.refused(leadership, current, request.follower());
      }
    }
    complete(confirmed);
    sendOutgoing();
  }

  private void onReply(LogAppender appender, AppendEntriesReplyProto reply) {
    if (appender instanceof PacedLogAppender paced) {
      paced.updateBackpressure(reply);
    }
    if (reply.getResult() != AppendResult.SUCCESS) {
      return;
    }
    List<ReadRound> confirmed;
    synchronized (lock) {
      if (current == null) {
        return;
      }
      if (!current.votes.acknowledge(
          appender, appender.getFollowerId(), reply.getServerReply().getCallId())) {
        // The response is to a message from before the round. Ratis drops a requested heartbeat
        // when it sends a message that was already being created, so the heartbeat is requested
        // again.
        if (current.heartbeats.contains(appender)) {
          appender.triggerHeartbeat();
        }
        return;
      }
      confirmed = takeConfirmed();
    }
    complete(confirmed);
    sendOutgoing();
  }

  /** Removes the rounds that are confirmed, and begins the next one. */
  private List<ReadRound> takeConfirmed() {
    List<ReadRound> confirmed = new ArrayList<>();
    while (current != null && isConfirmed(current)) {
      confirmed.add(current);
      requests.ended(current);
      confirmLease(current);
      current = next;
      next = null;
      if (current != null) {
        begin(current);
      }
    }
    return confirmed;
  }

  private static void complete(List<ReadRound> confirmed) {
    confirmed.forEach(round -> round.readIndex.complete(round.committed));
  }

  private void confirmLease(ReadRound round) {
    if (leadership != null) {
      leadership.lease.ifPresent(lease -> lease.confirm(round.startedNanos));
      leadership.leaseConfiguration = round.confirmedBy;
    }
  }

  private List<ReadRound> abandonAll() {
    List<ReadRound> abandoned = new ArrayList<>();
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

  private static void fail(List<ReadRound> abandoned, String reason) {
    for (ReadRound round : abandoned) {
      round.readIndex.completeExceptionally(new ConsensusException.Unavailable(reason));
    }
  }

  private boolean isConfirmed(ReadRound round) {
    RaftConfiguration members = division.getRaftConf();
    round.confirmedBy = members.getLogEntryIndex();
    return round.votes.isConfirmedBy(
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
