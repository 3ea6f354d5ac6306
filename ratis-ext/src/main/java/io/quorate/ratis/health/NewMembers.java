package io.quorate.ratis.health;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;

/**
 * Makes Ratis find out whether new members have caught up, or have not responded for too long.
 * Ratis 3.3.0 does so when one of them responds, and otherwise only when nothing happens at the
 * leader for an election timeout: in a group in use, a new member that has ended would be awaited
 * for ever, and no other change could begin. Any thread; nothing blocks.
 */
public final class NewMembers {
  private record Leadership(LeaderState state, Map<RaftPeerId, FollowerInfo> followers) {}

  private volatile Leadership leadership;

  /** Ratis has created an appender for a follower of this leader. */
  public synchronized void appending(LeaderState state, FollowerInfo follower) {
    if (leadership == null || leadership.state() != state) {
      leadership = new Leadership(state, new ConcurrentHashMap<>());
    }
    leadership.followers().put(follower.getId(), follower);
  }

  /** To be called about every second while this replica leads. */
  public void check() {
    Leadership present = leadership;
    if (present != null) {
      List.copyOf(present.followers().values()).stream()
          .filter(present.state()::isFollowerBootstrapping)
          .forEach(present.state()::onFollowerSuccessAppendEntries);
    }
  }
}
