package io.quorate.ratis.patches;

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
 * Checks a follower's successful append response when it is sent, not when the request was
 * received.
 *
 * <p>Ratis 3.3.0 checks the leader's term before the append and responds after the fsync. In
 * between, the follower may have voted in a newer term, and a newer leader may have replaced the
 * entries; the old leader would then commit entries that its followers no longer hold. Therefore a
 * success is sent only if, under the monitor under which Ratis processes requests, the term is
 * still the leader's and the last entry of the request is in the log and on disk.
 *
 * <p>Upstream: not reported. Fails without it: {@code LateAcknowledgementTest}. Can go when Ratis
 * checks, under the monitor, term and log when it responds.
 */
public final class AckGuard {
  private static final Logger LOG = LoggerFactory.getLogger(AckGuard.class);

  /**
   * In the match index of a rejection, which Ratis at the leader ignores: the entries were
   * replaced, or are not on disk yet, which is no sign of a loss.
   */
  private static final long WITHHELD = -3;

  private AckGuard() {}

  /**
   * @param onSuccess run under the monitor if the acknowledgement is sent
   * @return the reply, or a rejection in its place
   */
  public static AppendEntriesReplyProto check(
      RaftServer.Division division,
      AppendEntriesRequestProto request,
      AppendEntriesReplyProto reply,
      Runnable onSuccess)
      throws IOException {
    if (reply.getResult() != AppendResult.SUCCESS) {
      return reply;
    }
    // Requests of other replicas change the term under the division's monitor. An election of this
    // replica may raise it at any time, but then its last entry includes the acknowledged ones.
    synchronized (division) {
      long term = division.getInfo().getCurrentTerm();
      if (term != request.getLeaderTerm()) {
        LOG.debug(
            "Withheld a false acknowledgement member={} leaderTerm={} term={}",
            division.getMemberId(),
            request.getLeaderTerm(),
            term);
        // The old leader steps down on this result.
        return rejection(reply).setResult(AppendResult.NOT_LEADER).setTerm(term).build();
      }
      if (!holdsLastEntry(division.getRaftLog(), request)) {
        LOG.debug(
            "Withheld a false acknowledgement member={} term={} lastEntry={}",
            division.getMemberId(),
            term,
            request.getEntries(request.getEntriesCount() - 1).getIndex());
        // The leader sends the entries again on this result.
        return rejection(reply)
            .setResult(AppendResult.INCONSISTENCY)
            .setMatchIndex(WITHHELD)
            .setNextIndex(request.getEntries(0).getIndex())
            .build();
      }
      onSuccess.run();
    }
    return reply;
  }

  private static AppendEntriesReplyProto.Builder rejection(AppendEntriesReplyProto reply) {
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
    // Entries below the start of the log are committed and durable in the state machine.
    return last.getIndex() < log.getStartIndex()
        || last.getIndex() <= log.getSnapshotIndex()
        || log.contains(TermIndex.valueOf(last.getTerm(), last.getIndex()))
            && last.getIndex() <= log.getFlushIndex();
  }
}
