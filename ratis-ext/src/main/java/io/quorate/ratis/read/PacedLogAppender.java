package io.quorate.ratis.read;

import io.quorate.ratis.fence.FencedLogAppender;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;

/**
 * A sender that rests when sending at once is of no use.
 *
 * <p>Ratis 3.3.0 does not wait at all while there is something to send. If it then makes no request
 * out of it, because the follower is away or needs a snapshot first, it tries again without a
 * pause, and each group keeps a core busy until the follower is back.
 */
class PacedLogAppender extends FencedLogAppender {
  /** How often to try what has not worked. A new entry or a read still wakes the sender. */
  static final long REST_MILLIS = 20;

  PacedLogAppender(RaftServer.Division division, LeaderState state, FollowerInfo follower) {
    super(division, state, follower);
  }

  @Override
  public long getWaitTimeMs() {
    FollowerInfo follower = getFollower();
    return waitMillis(
        super.getWaitTimeMs(),
        follower.getLastRpcResponseTime().elapsedTimeMs(),
        getServer().properties().minRpcTimeoutMs(),
        follower.getNextIndex() < getRaftLog().getStartIndex());
  }

  /**
   * How long to wait for a reason to send.
   *
   * @param ratisMillis what Ratis would wait
   * @param silentMillis since when the follower has not answered
   * @param patienceMillis after how long of that it is taken to be away
   * @param needsSnapshot whether the log no longer reaches back to what it needs
   */
  static long waitMillis(
      long ratisMillis, long silentMillis, long patienceMillis, boolean needsSnapshot) {
    boolean useless = needsSnapshot || silentMillis > patienceMillis;
    return ratisMillis <= 0 && useless ? REST_MILLIS : ratisMillis;
  }
}
