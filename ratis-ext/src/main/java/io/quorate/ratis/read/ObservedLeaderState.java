package io.quorate.ratis.read;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;

/**
 * A leader's state as its log appenders see it: the real one, with every response also passed to an
 * observer.
 *
 * @param mayWrite whether a newer term that a follower reports could be persisted. If not, the
 *     report is ignored: to persist the term, the leader would hold the monitor that all other
 *     operations need for as long as the disk does not respond.
 */
record ObservedLeaderState(
    LeaderState state,
    BiConsumer<LogAppender, AppendEntriesReplyProto> observer,
    BooleanSupplier mayWrite)
    implements LeaderState {

  @Override
  public void onAppendEntriesReply(LogAppender appender, AppendEntriesReplyProto reply) {
    state.onAppendEntriesReply(appender, reply);
    observer.accept(appender, reply);
  }

  @Override
  public void restart(LogAppender appender) {
    state.restart(appender);
  }

  @Override
  public AppendEntriesRequestProto newAppendEntriesRequestProto(
      FollowerInfo follower, List<LogEntryProto> entries, TermIndex previous, long callId) {
    return state.newAppendEntriesRequestProto(follower, entries, previous, callId);
  }

  @Override
  public void checkHealth(FollowerInfo follower) {
    state.checkHealth(follower);
  }

  @Override
  public boolean onFollowerTerm(FollowerInfo follower, long followerTerm) {
    return mayWrite.getAsBoolean() && state.onFollowerTerm(follower, followerTerm);
  }

  @Override
  public void onFollowerCommitIndex(FollowerInfo follower, long commitIndex) {
    state.onFollowerCommitIndex(follower, commitIndex);
  }

  @Override
  public void onFollowerSuccessAppendEntries(FollowerInfo follower) {
    state.onFollowerSuccessAppendEntries(follower);
  }

  @Override
  public boolean isFollowerBootstrapping(FollowerInfo follower) {
    return state.isFollowerBootstrapping(follower);
  }
}
