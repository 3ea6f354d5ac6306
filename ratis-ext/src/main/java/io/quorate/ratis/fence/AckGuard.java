package io.quorate.ratis.fence;

import java.io.IOException;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A follower's acknowledgement is true when it leaves, not when the request came in.
 *
 * <p>Ratis 3.3.0 checks the leader's term before it appends and answers after the fsync. In
 * between, the follower may have voted in a newer term and a newer leader may have replaced the
 * entries. The acknowledgement would then make the old leader commit what its followers no longer
 * hold. And entries that come a second time are acknowledged at once, although the fsync that
 * covers them may still be on its way. So, under the monitor that guards term and log, a success is
 * let out only if the term still is the leader's and the log holds the last entry of the request on
 * disk. The flush index can be trusted only because every request up to this one has completed: see
 * {@link AppendSequence}.
 */
final class AckGuard {
  private static final Logger LOG = LoggerFactory.getLogger(AckGuard.class);

  private AckGuard() {}

  /**
   * @param whenTrue run under the monitor if the acknowledgement is let out
   * @return the reply, or a refusal in its place
   */
  static AppendEntriesReplyProto check(
      RaftServer.Division division,
      AppendEntriesRequestProto request,
      AppendEntriesReplyProto reply,
      Runnable whenTrue)
      throws IOException {
    if (reply.getResult() != AppendResult.SUCCESS) {
      return reply;
    }
    // The division's own monitor is what Ratis changes term and role under.
    synchronized (division) {
      long term = division.getInfo().getCurrentTerm();
      if (term != request.getLeaderTerm()) {
        LOG.debug(
            "Withheld a false acknowledgement member={} leaderTerm={} term={}",
            division.getMemberId(),
            request.getLeaderTerm(),
            term);
        // Makes the old leader step down.
        return refused(reply).setResult(AppendResult.NOT_LEADER).setTerm(term).build();
      }
      if (!holdsLastEntry(division.getRaftLog(), request)) {
        LOG.debug(
            "Withheld a false acknowledgement member={} term={} lastEntry={}",
            division.getMemberId(),
            term,
            request.getEntries(request.getEntriesCount() - 1).getIndex());
        // Makes the leader send the entries again.
        return refused(reply)
            .setResult(AppendResult.INCONSISTENCY)
            .setNextIndex(request.getEntries(0).getIndex())
            .build();
      }
      whenTrue.run();
    }
    return reply;
  }

  private static AppendEntriesReplyProto.Builder refused(AppendEntriesReplyProto reply) {
    return reply.toBuilder()
        .setServerReply(reply.getServerReply().toBuilder().setSuccess(false))
        .setMatchIndex(RaftLog.INVALID_LOG_INDEX);
  }

  private static boolean holdsLastEntry(RaftLog log, AppendEntriesRequestProto request) {
    int count = request.getEntriesCount();
    if (count == 0) {
      return true;
    }
    LogEntryProto last = request.getEntries(count - 1);
    // Below the start of the log stands only what is committed and durable in the state machine.
    return last.getIndex() < log.getStartIndex()
        || last.getIndex() <= log.getSnapshotIndex()
        || log.contains(TermIndex.valueOf(last.getTerm(), last.getIndex()))
            && last.getIndex() <= log.getFlushIndex();
  }
}
