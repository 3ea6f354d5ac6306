package org.apache.ratis.server.impl;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;

/**
 * Gives access to the state of a leader of Ratis 3.3.0. It is in Ratis' own package because Ratis
 * has no public methods for this.
 *
 * <p>Part of {@link io.quorate.ratis.patches.Elections}, {@link
 * io.quorate.ratis.patches.ReplacedAppender} and the log appender.
 */
public final class Leaders {
  private Leaders() {}

  /**
   * Makes a replica a follower in its present term. To be called while it becomes leader, before
   * its first entry, by the thread that has its monitor.
   */
  public static void stepDown(RaftServer.Division division) {
    RaftServerImpl server = (RaftServerImpl) division;
    try {
      // What it returns is the end of the leader's work, which has not begun.
      server.changeToFollowerAndPersistMetadata(
          server.getState().getCurrentTerm(), false, "not elected in this term");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Records that a follower has what a member needs to count. Ratis does so when it adds the
   * member, and forgets it when it replaces a failed appender. Any thread; does not block.
   */
  public static void catchUp(FollowerInfo follower) {
    ((FollowerInfoImpl) follower).catchUp();
  }

  /**
   * Whether a replica is transferring its leadership. The transfer begins before it reads what the
   * new leader has. Any thread; does not block.
   */
  public static boolean isTransferring(RaftServer.Division division) {
    return ((RaftServerImpl) division).getTransferLeadership().isSteppingDown();
  }
}
