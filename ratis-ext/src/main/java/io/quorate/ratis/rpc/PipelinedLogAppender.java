package io.quorate.ratis.rpc;

import io.quorate.common.Failpoint;
import io.quorate.common.Failures;
import io.quorate.common.LogLimit;
import io.quorate.replication.threads.SharedLoops;
import java.io.IOException;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.impl.Leaders;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppenderBase;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.Timestamp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicates the log of a leader to one follower, with several requests in flight. After a failure,
 * and until the first response, there is one at a time.
 *
 * <p>The appender runs in steps, one at a time, on threads that all appenders of a node share
 * ({@link SharedLoops}). Steps alone lower the index of the next entry. Successful responses are
 * processed on the thread that receives them, which must not block; all others are queued for the
 * next step. The queue is bounded by the requests in flight.
 *
 * <p>A step that may wait is run by a reader: one that has to read entries from the disk, or to
 * process a report of another term or announce a snapshot, for which Ratis locks the replica.
 */
public class PipelinedLogAppender extends LogAppenderBase {
  private static final Logger LOG = LoggerFactory.getLogger(PipelinedLogAppender.class);
  private static final LogLimit FAILING = new LogLimit();

  /** Before an append request is sent, which is the subject. */
  private static final Failpoint BEFORE_SEND = Failpoint.named("raft.append.before-send");

  private static final String REQUESTS_MAX_KEY = "quorate.append.requests-in-flight-max";

  /**
   * The pause after a failure, during which nothing is sent. Nothing is awaited in it: a follower
   * that fails at once would be sent requests as fast as it rejects them, and neither a new entry
   * nor a read is a reason to send earlier.
   */
  private static final long RETRY_MILLIS = 100;

  /**
   * A request in flight.
   *
   * @param firstIndex the index of the first entry; {@link RaftLog#INVALID_LOG_INDEX} for a
   *     heartbeat
   * @param matched the last index that the follower had acknowledged before the request was made
   */
  private record Sent(long callId, long firstIndex, long matched, Timestamp time) {
    static Sent of(AppendEntriesRequestProto request, long matched) {
      return new Sent(
          request.getServerRequest().getCallId(),
          request.getEntriesCount() == 0
              ? RaftLog.INVALID_LOG_INDEX
              : request.getEntries(0).getIndex(),
          matched,
          Timestamp.currentTime());
    }

    boolean isHeartbeat() {
      return firstIndex == RaftLog.INVALID_LOG_INDEX;
    }

    /**
     * Whether the reply shows that the follower has lost entries that it had acknowledged: it lacks
     * the one before the request, and its log continues at or below the last of them. A rejection
     * of entries that the follower could have taken has another match index (AckGuard,
     * Backpressure), and one of entries that are committed already may name any next index.
     */
    boolean isProofOfLoss(AppendEntriesReplyProto reply) {
      return reply.getResult() == AppendResult.INCONSISTENCY
          && reply.getMatchIndex() == RaftLog.INVALID_LOG_INDEX
          && reply.getNextIndex() <= matched
          && (isHeartbeat() || firstIndex > matched);
    }
  }

  /**
   * What is left for a step after a response.
   *
   * @param mayBlock whether it may wait for a lock of Ratis
   */
  private record Outcome(boolean mayBlock, Runnable process) {}

  private final int requestsMax;
  private final int entriesMax;
  private final long bytesMax;
  private final AppenderTask task;
  private final AtomicLong calls = new AtomicLong();

  /** The requests with entries that have no response, by their call. */
  private final Map<Long, Sent> inFlight = new ConcurrentHashMap<>();

  private final Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();

  /** Whether the follower has not responded since the last failure. */
  private volatile boolean isProbing = true;

  /** Whether {@link #RETRY_MILLIS} have not passed since the last failure. */
  private volatile boolean isPausing;

  // Accessed only in steps.
  private boolean isFailing;
  private Timestamp pauseBegin;
  private boolean isAnnouncing;
  private boolean hasAnnounced;

  /**
   * @param threads run the steps
   */
  public PipelinedLogAppender(
      RaftServer.Division division, LeaderState state, FollowerInfo follower, SharedLoops threads) {
    super(division, state, follower);
    RaftProperties properties = division.getRaftServer().getProperties();
    requestsMax = properties.getInt(REQUESTS_MAX_KEY, 1);
    entriesMax = RaftServerConfigKeys.Log.Appender.bufferElementLimit(properties);
    bytesMax = RaftServerConfigKeys.Log.Appender.bufferByteLimit(properties).getSize();
    task = new AppenderTask(toString(), threads, new Steps());
  }

  /** Sets the maximum number of requests with entries to one follower that are in flight. */
  public static void setRequestsMax(RaftProperties properties, int requestsMax) {
    properties.setInt(REQUESTS_MAX_KEY, requestsMax);
  }

  @Override
  public long getCallId() {
    return calls.get();
  }

  /** Numbers of calls may overflow, so their difference is compared. */
  @Override
  public Comparator<Long> getCallIdComparator() {
    return (one, other) -> Long.signum(one - other);
  }

  @Override
  public boolean hasPendingDataRequests() {
    return !inFlight.isEmpty();
  }

  private boolean hasTooManyInFlight() {
    int requests = inFlight.size();
    return requests > 0 && (isProbing || requests >= requestsMax);
  }

  @Override
  public void start() {
    task.start();
  }

  @Override
  public boolean isRunning() {
    return task.isWorking() && leads();
  }

  private boolean leads() {
    return getServer().getInfo().isAlive()
        && getServer().getInfo().isLeader()
        && getRaftLog().isOpened();
  }

  @Override
  public CompletableFuture<LifeCycle.State> stopAsync() {
    return task.stop();
  }

  /** Is not called: the appender has no thread that it would run on. */
  @Override
  public void run() {
    throw new UnsupportedOperationException("A log appender runs in steps.");
  }

  /** The steps of this appender. */
  private final class Steps implements AppenderTask.Steps {
    @Override
    public boolean isUseful() {
      return leads();
    }

    @Override
    public long run(boolean mayBlock) throws IOException {
      return step(mayBlock);
    }

    @Override
    public void failed() {
      if (leads()) {
        getLeaderState().restart(PipelinedLogAppender.this);
      }
    }
  }

  private long step(boolean mayBlock) throws IOException {
    long pauseMillis = isPausing ? RETRY_MILLIS - pauseBegin.elapsedTimeMs() : 0;
    if (pauseMillis > 0) {
      return pauseMillis;
    }
    isPausing = false;
    for (Outcome each = outcomes.peek(); each != null; each = outcomes.peek()) {
      if (each.mayBlock() && !mayBlock) {
        return AppenderTask.BLOCKS;
      }
      outcomes.remove();
      each.process().run();
    }
    if (isFailing) {
      isFailing = false;
      pauseBegin = Timestamp.currentTime();
      isPausing = true;
      return RETRY_MILLIS;
    }
    if (!isAnnouncing && mayAppend() && !send(mayBlock)) {
      return AppenderTask.BLOCKS;
    }
    getLeaderState().checkHealth(getFollower());
    if (!outcomes.isEmpty()) {
      return 0;
    }
    return isAnnouncing ? RETRY_MILLIS : Math.max(0, getWaitTimeMs());
  }

  /** Sends what is to be sent now. Returns false if that would block and must not. */
  private boolean send(boolean mayBlock) throws IOException {
    TermIndex first = shouldNotifyToInstallSnapshot();
    if (first != null && !hasAnnounced) {
      if (mayBlock) {
        announceSnapshot(first);
      }
      return mayBlock;
    }
    hasAnnounced = false;
    boolean heartbeat = first != null || hasTooManyInFlight();
    if (!heartbeat && !mayBlock && !areNextEntriesInMemory()) {
      return false;
    }
    append(heartbeat);
    return true;
  }

  /** Whether the entries of the next request are in memory; true if there are none. */
  private boolean areNextEntriesInMemory() {
    SegmentedRaftLog log = (SegmentedRaftLog) getRaftLog();
    long first = getFollower().getNextIndex();
    long end = Math.min(log.getNextIndex(), first + entriesMax);
    long bytes = 0;
    for (long index = first; index < end && bytes <= bytesMax; index++) {
      Optional<LogEntryProto> entry = log.inMemory(index);
      if (entry.isEmpty()) {
        return false;
      }
      bytes += entry.get().getSerializedSize();
    }
    return true;
  }

  /** Whether there is something to send now. */
  private boolean mayAppend() {
    return shouldSendAppendEntries() && (!hasTooManyInFlight() || getHeartbeatWaitTimeMs() <= 0);
  }

  /** Wakes the appender if there is something to send, or a response to process. */
  @Override
  public void notifyLogAppender() {
    if (!isPausing && (!outcomes.isEmpty() || mayAppend())) {
      task.wake();
    }
  }

  /** How long to wait for a signal before the next attempt to send, in milliseconds. */
  protected long getWaitTimeMs() {
    return mayAppend() && !isSlow() ? 0 : getHeartbeatWaitTimeMs();
  }

  private boolean isSlow() {
    return getFollower()
            .getLastRpcResponseTime()
            .elapsedTime()
            .compareTo(getServer().properties().rpcSlownessTimeout())
        > 0;
  }

  private void append(boolean heartbeat) throws IOException {
    long matched = getFollower().getMatchIndex();
    AppendEntriesRequestProto request = newAppendEntriesRequest(calls.getAndIncrement(), heartbeat);
    if (request == null) {
      return;
    }
    Sent sent = Sent.of(request, matched);
    if (!sent.isHeartbeat()) {
      inFlight.put(sent.callId(), sent);
      getFollower()
          .updateNextIndex(request.getEntries(request.getEntriesCount() - 1).getIndex() + 1);
    }
    BEFORE_SEND.reached(request);
    resetHeartbeatTrigger();
    getFollower().updateLastRpcSendTime(sent.isHeartbeat());
    getServerRpc()
        .async()
        .appendEntriesAsync(request)
        .whenComplete((reply, failure) -> received(sent, reply, failure));
  }

  /** Processes a response. Any thread; does not block. */
  private void received(Sent sent, AppendEntriesReplyProto reply, Throwable failure) {
    try {
      if (failure != null) {
        outcomes.add(new Outcome(false, () -> failed(sent, Failures.unwrap(failure))));
      } else {
        process(sent, reply);
      }
      notifyLogAppender();
    } catch (RuntimeException e) {
      // Thrown on, it would be lost.
      FAILING.log(
          leftOut ->
              LOG.error(
                  "{}: a response could not be processed{}", this, LogLimit.text(leftOut), e));
    }
  }

  private void process(Sent sent, AppendEntriesReplyProto reply) {
    getFollower().updateLastRespondedAppendEntriesSendTime(sent.time());
    getFollower().updateLastRpcResponseTime();
    if (reply.getResult() == AppendResult.SUCCESS) {
      accepted(sent, reply);
    } else {
      boolean mayBlock = reply.getResult() != AppendResult.INCONSISTENCY;
      outcomes.add(new Outcome(mayBlock, () -> rejected(sent, reply)));
    }
  }

  private void accepted(Sent sent, AppendEntriesReplyProto reply) {
    FollowerInfo follower = getFollower();
    inFlight.remove(sent.callId());
    isProbing = false;
    getLeaderState().onFollowerCommitIndex(follower, reply.getFollowerCommit());
    if (follower.updateMatchIndex(reply.getMatchIndex())) {
      follower.updateNextIndex(reply.getMatchIndex() + 1);
      if (reply.getMatchIndex() > getRaftLog().getLastCommittedIndex()) {
        ((SegmentedRaftLog) getRaftLog()).advanceCommitSoon();
      }
      if (isAwaited()) {
        getLeaderState().onFollowerSuccessAppendEntries(follower);
      }
    }
    getLeaderState().onAppendEntriesReply(this, reply);
  }

  /**
   * Whether Ratis waits for what a follower has, beside the commit index: to add a new member that
   * has caught up, or to transfer the leadership. Its watches and its limit on the gap between
   * followers are not used.
   */
  private boolean isAwaited() {
    return getLeaderState().isFollowerBootstrapping(getFollower())
        || Leaders.isTransferring(getServer());
  }

  private void rejected(Sent sent, AppendEntriesReplyProto reply) {
    isProbing = false;
    isFailing = true;
    if (sent.isProofOfLoss(reply)) {
      acknowledgedEntriesLost(reply.getNextIndex(), sent.matched());
    }
    if (reply.getResult() == AppendResult.INCONSISTENCY) {
      LOG.debug("{}: the follower's log continues at {}", this, reply.getNextIndex());
      if (isCurrent(sent)) {
        inFlight.clear();
        getFollower()
            .setNextIndex(getNextIndexForInconsistency(sent.firstIndex(), reply.getNextIndex()));
      }
    } else {
      LOG.debug("{}: received {} of term {}", this, reply.getResult(), reply.getTerm());
      if (onFollowerTerm(reply.getTerm())) {
        return;
      }
      sendAgain(sent);
    }
    getLeaderState().onAppendEntriesReply(this, reply);
  }

  /**
   * The follower has lost entries that it acknowledged to this leader. Called at each reply that
   * shows it, in a step; must not block.
   *
   * @param next the index at which its log continues
   * @param matched the last index that it had acknowledged
   */
  protected void acknowledgedEntriesLost(long next, long matched) {}

  private void failed(Sent sent, Throwable failure) {
    LOG.debug("{}: a request failed: {}", this, failure.getMessage());
    isProbing = true;
    isFailing = true;
    sendAgain(sent);
  }

  /** Sends the entries of a request again, and all after them. */
  private void sendAgain(Sent sent) {
    if (!sent.isHeartbeat() && isCurrent(sent)) {
      inFlight.clear();
      FollowerInfo follower = getFollower();
      follower.setNextIndex(
          Math.max(
              follower.getMatchIndex() + 1, Math.min(follower.getNextIndex(), sent.firstIndex())));
    }
  }

  /** Whether the index of the next entry was not lowered after the request was sent. */
  private boolean isCurrent(Sent sent) {
    return sent.isHeartbeat() || inFlight.containsKey(sent.callId());
  }

  /**
   * Announces to the follower that the log begins with this entry. Nothing else is sent until it
   * responds.
   */
  private void announceSnapshot(TermIndex first) {
    isAnnouncing = true;
    getFollower().updateLastRpcSendTime(false);
    ((SnapshotAnnouncements) getServerRpc().async())
        .installSnapshotAsync(newInstallSnapshotNotificationRequest(first))
        .whenComplete(
            (reply, failure) -> {
              outcomes.add(new Outcome(true, () -> announced(reply, failure)));
              notifyLogAppender();
            });
  }

  private void announced(InstallSnapshotReplyProto reply, Throwable failure) {
    isAnnouncing = false;
    hasAnnounced = true;
    if (failure != null) {
      LOG.debug("{}: the announcement of a snapshot failed: {}", this, failure.getMessage());
      isProbing = true;
      isFailing = true;
      return;
    }
    FollowerInfo follower = getFollower();
    follower.updateLastRpcResponseTime();
    switch (reply.getResult()) {
      case SUCCESS, SNAPSHOT_UNAVAILABLE -> follower.setAttemptedToInstallSnapshot();
      case ALREADY_INSTALLED, SNAPSHOT_INSTALLED -> {
        long index = reply.getSnapshotIndex();
        follower.setSnapshotIndex(index);
        follower.setAttemptedToInstallSnapshot();
        getLeaderState().onFollowerCommitIndex(follower, index);
      }
      case NOT_LEADER -> onFollowerTerm(reply.getTerm());
      default -> LOG.debug("{}: received {} of a snapshot", this, reply.getResult());
    }
  }
}
