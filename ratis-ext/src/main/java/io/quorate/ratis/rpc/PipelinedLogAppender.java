package io.quorate.ratis.rpc;

import io.quorate.common.Failpoint;
import io.quorate.common.Failures;
import io.quorate.common.LogLimit;
import java.io.IOException;
import java.util.Comparator;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppenderBase;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.Timestamp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicates the log of a leader to one follower, with several requests in flight. After a failure,
 * and until the first response, there is one at a time.
 *
 * <p>The appender has a thread, which alone lowers the index of the next entry. Successful
 * responses are processed on the thread that receives them, which must not block; all others are
 * queued for the appender's own thread. The queue is bounded by the requests in flight.
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
   * nor a read is a reason to send earlier. The end of the appender interrupts it.
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

  private final int requestsMax;
  private final AtomicLong calls = new AtomicLong();

  /** The requests with entries that have no response, by their call. */
  private final Map<Long, Sent> inFlight = new ConcurrentHashMap<>();

  private final Queue<Runnable> unsuccessful = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean signalled = new AtomicBoolean();

  /** Whether the follower has not responded since the last failure. */
  private volatile boolean isProbing = true;

  private volatile Thread thread;

  // Accessed only by the appender's thread.
  private boolean isFailing;

  public PipelinedLogAppender(
      RaftServer.Division division, LeaderState state, FollowerInfo follower) {
    super(division, state, follower);
    requestsMax = division.getRaftServer().getProperties().getInt(REQUESTS_MAX_KEY, 1);
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
  public void run() throws IOException, InterruptedException {
    thread = Thread.currentThread();
    while (isRunning()) {
      for (Runnable each = unsuccessful.poll(); each != null; each = unsuccessful.poll()) {
        each.run();
      }
      if (isFailing) {
        isFailing = false;
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
      }
      if (mayAppend()) {
        TermIndex first = shouldNotifyToInstallSnapshot();
        if (first != null) {
          announceSnapshot(first);
        }
        append(first != null || hasTooManyInFlight());
      }
      getLeaderState().checkHealth(getFollower());
      awaitWork();
    }
  }

  /** Whether there is something to send now. */
  private boolean mayAppend() {
    return shouldSendAppendEntries() && (!hasTooManyInFlight() || getHeartbeatWaitTimeMs() <= 0);
  }

  /** Wakes the appender if there is something to send, or a response to process. */
  @Override
  public void notifyLogAppender() {
    if ((!unsuccessful.isEmpty() || mayAppend()) && !signalled.getAndSet(true)) {
      LockSupport.unpark(thread);
    }
  }

  private void awaitWork() throws InterruptedException {
    long millis = getWaitTimeMs();
    if (millis > 0 && unsuccessful.isEmpty() && !signalled.get()) {
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(millis));
    }
    signalled.set(false);
    if (Thread.interrupted()) {
      throw new InterruptedException("The log appender is stopped.");
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
        unsuccessful.add(() -> failed(sent, Failures.unwrap(failure)));
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
      unsuccessful.add(() -> rejected(sent, reply));
    }
  }

  private void accepted(Sent sent, AppendEntriesReplyProto reply) {
    FollowerInfo follower = getFollower();
    inFlight.remove(sent.callId());
    isProbing = false;
    getLeaderState().onFollowerCommitIndex(follower, reply.getFollowerCommit());
    if (follower.updateMatchIndex(reply.getMatchIndex())) {
      follower.updateNextIndex(reply.getMatchIndex() + 1);
      getLeaderState().onFollowerSuccessAppendEntries(follower);
    }
    getLeaderState().onAppendEntriesReply(this, reply);
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
   * shows it, on the appender's thread; must not block.
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

  /** Announces to the follower that the log begins with this entry. Blocks until it responds. */
  private void announceSnapshot(TermIndex first) {
    FollowerInfo follower = getFollower();
    InstallSnapshotReplyProto reply;
    try {
      follower.updateLastRpcSendTime(false);
      reply = getServerRpc().installSnapshot(newInstallSnapshotNotificationRequest(first));
    } catch (IOException e) {
      LOG.debug("{}: the announcement of a snapshot failed: {}", this, e.getMessage());
      isProbing = true;
      isFailing = true;
      return;
    }
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
