package io.quorate.ratis.patches;

import java.io.IOException;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorageMetadata;

/**
 * Compares what a replica is about to send with the term and vote on its disk. Those in memory may
 * be others: an election of Ratis 3.3.0 changes them without the replica's monitor, so that a value
 * that is persisted may have the term of one operation and the vote of another, and a term that was
 * raised may not be on disk yet when entries of it are received.
 *
 * <p>Upstream: not reported. Fails without it: {@code GuardedRaftServerTest}, {@code
 * GuardedRpcTest}. Can go when Ratis changes term and vote together, under the monitor, and on disk
 * before it responds.
 */
public final class DurableVote {
  private DurableVote() {}

  /** Whether the replica's vote in this term is for this candidate, and on disk. Does not block. */
  public static boolean isFor(RaftServer.Division division, long term, RaftPeerId candidate)
      throws IOException {
    RaftStorageMetadata durable = division.getRaftLog().loadMetadata();
    return durable.getTerm() == term && durable.getVotedFor().equals(candidate);
  }

  /**
   * Makes a term durable unless it or a later one is. Blocks while it is written, or another value
   * is.
   */
  public static void reach(RaftServer.Division division, long term) throws IOException {
    RaftLog log = division.getRaftLog();
    if (log.loadMetadata().getTerm() < term) {
      log.persistMetadata(RaftStorageMetadata.valueOf(term, null));
    }
  }
}
