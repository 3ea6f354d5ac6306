package io.quorate.ratis.patches;

import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.impl.Leaders;
import org.apache.ratis.server.leader.FollowerInfo;

/**
 * Keeps a member a member when its appender is replaced. Ratis 3.3.0 replaces the appender of a
 * leader that has failed by one that marks its requests as those to a member that is being added,
 * which must catch up first, and which has no vote until then.
 *
 * <p>Upstream: not reported. Fails without it: {@code RestartedAppenderTest}. Can go when Ratis
 * keeps what a follower has when it replaces the appender.
 */
public final class ReplacedAppender {
  private ReplacedAppender() {}

  /** To be called before an appender is created. Any thread; does not block. */
  public static void keepMember(RaftServer.Division division, FollowerInfo follower) {
    if (division.getRaftConf().getPeer(follower.getId()) != null) {
      // Only a member that is being added has to catch up.
      Leaders.catchUp(follower);
    }
  }
}
