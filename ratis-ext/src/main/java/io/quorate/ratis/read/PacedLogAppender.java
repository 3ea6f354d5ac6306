package io.quorate.ratis.read;

import io.quorate.ratis.flow.AppendWindow;
import io.quorate.ratis.flow.Backpressure;
import io.quorate.ratis.rpc.PipelinedLogAppender;
import io.quorate.replication.threads.SharedLoops;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.raftlog.RaftLogIOException;

/**
 * A log appender that pauses when sending at once is useless, and that sends only heartbeats to a
 * follower that has no capacity for entries or has not acknowledged those that were sent.
 *
 * <p>A log appender does not wait while there is something to send. If Ratis then creates no
 * request from it, because the follower is unreachable or needs a snapshot first, it would retry
 * without a pause, and each group would keep a core busy until the follower is back.
 */
class PacedLogAppender extends PipelinedLogAppender {
  /** The interval between retries. A new entry or a read still wakes the appender earlier. */
  static final long PAUSE_MILLIS = 20;

  /** Accessed only in steps of the appender. */
  private final AppendWindow window;

  private volatile boolean followerIsFull;

  PacedLogAppender(
      RaftServer.Division division, LeaderState state, FollowerInfo follower, SharedLoops threads) {
    super(division, state, follower, threads);
    window =
        new AppendWindow(
            RaftServerConfigKeys.Log.Appender.bufferByteLimit(
                    division.getRaftServer().getProperties())
                .getSize());
  }

  /** Records whether the follower's response signals back-pressure. */
  void updateBackpressure(AppendEntriesReplyProto reply) {
    followerIsFull = Backpressure.isIn(reply);
  }

  /** Returns null during a pause; the appender then waits for {@link #getWaitTimeMs}. */
  @Override
  public AppendEntriesRequestProto newAppendEntriesRequest(long callId, boolean heartbeat)
      throws RaftLogIOException {
    if (!isThrottled()) {
      AppendEntriesRequestProto request = super.newAppendEntriesRequest(callId, heartbeat);
      if (request != null && request.getEntriesCount() > 0) {
        window.sent(
            request.getEntries(request.getEntriesCount() - 1).getIndex(),
            request.getSerializedSize());
      }
      return request;
    }
    boolean isDue =
        heartbeat
            || getHeartbeatWaitTimeMs() <= 0
            || getFollower().getLastRpcSendTime().elapsedTimeMs() >= PAUSE_MILLIS;
    return isDue ? super.newAppendEntriesRequest(callId, true) : null;
  }

  @Override
  protected long getWaitTimeMs() {
    FollowerInfo follower = getFollower();
    return waitMillis(
        super.getWaitTimeMs(),
        follower.getLastRpcResponseTime().elapsedTimeMs(),
        getServer().properties().minRpcTimeoutMs(),
        isThrottled() || follower.getNextIndex() < getRaftLog().getStartIndex());
  }

  private boolean isThrottled() {
    FollowerInfo follower = getFollower();
    if (!hasPendingDataRequests()) {
      // A follower that installs a snapshot rejects entries and never acknowledges them.
      window.clear();
    }
    return followerIsFull || window.isFull(follower.getMatchIndex(), follower.getNextIndex());
  }

  /**
   * How long to wait before the next attempt to send.
   *
   * @param unpacedMillis how long the appender would wait without this pacing
   * @param silentMillis the time since the follower's last response
   * @param timeoutMillis after how long without a response the follower counts as unreachable
   * @param isThrottled whether the follower takes no entries, or the log no longer contains those
   *     that it needs
   */
  static long waitMillis(
      long unpacedMillis, long silentMillis, long timeoutMillis, boolean isThrottled) {
    boolean isUseless = isThrottled || silentMillis > timeoutMillis;
    return unpacedMillis <= 0 && isUseless ? PAUSE_MILLIS : unpacedMillis;
  }
}
