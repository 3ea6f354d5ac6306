package io.quorate.ratis.read;

import java.util.List;
import java.util.function.BiConsumer;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;

/** A leader's state as its senders see it: the real one, with every answer also shown to us. */
record ObservedLeaderState(
    LeaderState state, BiConsumer<LogAppender, AppendEntriesReplyProto> observer)
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
    return state.onFollowerTerm(follower, followerTerm);
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
