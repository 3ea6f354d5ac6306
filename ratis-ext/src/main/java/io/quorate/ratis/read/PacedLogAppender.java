package io.quorate.ratis.read;

import io.quorate.ratis.fence.FencedLogAppender;
import io.quorate.ratis.flow.AppendWindow;
import io.quorate.ratis.flow.Backpressure;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.raftlog.RaftLogIOException;

/**
 * A sender that rests when sending at once is of no use, and that sends heartbeats alone to a
 * follower that has no room for entries, or that has not acknowledged those it was sent.
 *
 * <p>Ratis 3.3.0 does not wait at all while there is something to send. If it then makes no request
 * out of it, because the follower is away or needs a snapshot first, it tries again without a
 * pause, and each group keeps a core busy until the follower is back.
 */
class PacedLogAppender extends FencedLogAppender {
  /** How often to try what has not worked. A new entry or a read still wakes the sender. */
  static final long REST_MILLIS = 20;

  /** Touched by the sender's own thread alone. */
  private final AppendWindow window;

  private volatile boolean followerIsFull;

  PacedLogAppender(RaftServer.Division division, LeaderState state, FollowerInfo follower) {
    super(division, state, follower);
    window =
        new AppendWindow(
            RaftServerConfigKeys.Log.Appender.bufferByteLimit(
                    division.getRaftServer().getProperties())
                .getSize());
  }

  /** The follower has replied. */
  void heard(AppendEntriesReplyProto reply) {
    followerIsFull = Backpressure.isIn(reply);
  }

  /** Empty-handed where it rests; Ratis then waits as {@link #getWaitTimeMs} says. */
  @Override
  public AppendEntriesRequestProto newAppendEntriesRequest(long callId, boolean heartbeat)
      throws RaftLogIOException {
    if (!takesNoEntries()) {
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
            || getFollower().getLastRpcSendTime().elapsedTimeMs() >= REST_MILLIS;
    return isDue ? super.newAppendEntriesRequest(callId, true) : null;
  }

  @Override
  public long getWaitTimeMs() {
    FollowerInfo follower = getFollower();
    return waitMillis(
        super.getWaitTimeMs(),
        follower.getLastRpcResponseTime().elapsedTimeMs(),
        getServer().properties().minRpcTimeoutMs(),
        takesNoEntries() || follower.getNextIndex() < getRaftLog().getStartIndex());
  }

  private boolean takesNoEntries() {
    FollowerInfo follower = getFollower();
    if (!hasPendingDataRequests()) {
      // A follower that installs a snapshot refuses entries, and never acknowledges them.
      window.clear();
    }
    return followerIsFull || window.isFull(follower.getMatchIndex(), follower.getNextIndex());
  }

  /**
   * How long to wait for a reason to send.
   *
   * @param ratisMillis what Ratis would wait
   * @param silentMillis since when the follower has not answered
   * @param patienceMillis after how long of that it is taken to be away
   * @param takesNoEntries whether it has no room for any, or the log no longer reaches back to what
   *     it needs
   */
  static long waitMillis(
      long ratisMillis, long silentMillis, long patienceMillis, boolean takesNoEntries) {
    boolean useless = takesNoEntries || silentMillis > patienceMillis;
    return ratisMillis <= 0 && useless ? REST_MILLIS : ratisMillis;
  }
}
