package org.apache.ratis.server.impl;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.ratis.server.RaftServer;

/**
 * Advances the commit index of a replica of Ratis 3.3.0. It is in Ratis' own package because Ratis
 * has no public method for this. See ADR 0087.
 *
 * <p>Part of {@link org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog}.
 */
public final class CommitIndex {
  private static final MethodHandle UPDATE_COMMIT = updateCommit();

  private CommitIndex() {}

  private static MethodHandle updateCommit() {
    try {
      return MethodHandles.privateLookupIn(LeaderStateImpl.class, MethodHandles.lookup())
          .findVirtual(LeaderStateImpl.class, "updateCommit", MethodType.methodType(void.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Advances the commit index of a replica if it leads and a majority has more entries, as Ratis
   * does on a thread of each leader: under the lock of the replica, and so one at a time. While a
   * configuration is not committed, that thread does it, which then blocks. Any thread; waits for
   * the lock.
   */
  public static void advance(RaftServer.Division division) {
    RaftServerImpl server = (RaftServerImpl) division;
    if (server.getRole().getLeaderState().isEmpty()) {
      return;
    }
    synchronized (server) {
      LeaderStateImpl leader = server.getRole().getLeaderState().orElse(null);
      if (leader == null || !leader.isRunning()) {
        return;
      }
      if (server.getState().isConfCommitted()) {
        updateCommit(leader);
      } else {
        leader.submitUpdateCommitEvent();
      }
    }
  }

  private static void updateCommit(LeaderStateImpl leader) {
    try {
      UPDATE_COMMIT.invokeExact(leader);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
