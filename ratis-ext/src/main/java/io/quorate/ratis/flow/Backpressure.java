package io.quorate.ratis.flow;

import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;

/**
 * How a follower whose state machine is behind tells its leader to send no entries for now: by a
 * mark in its replies, in the match index, which Ratis leaves at -1 in replies that acknowledge
 * nothing. Pure.
 */
public final class Backpressure {
  /** Below every index, so that Ratis at the leader makes nothing of it. */
  private static final long NO_ROOM = -2;

  private Backpressure() {}

  /** Whether the follower that replied has no room for entries. */
  public static boolean isIn(AppendEntriesReplyProto reply) {
    return reply.getMatchIndex() == NO_ROOM;
  }

  /** What is left of a request whose entries are not let in: term, commit index, a sign of life. */
  static AppendEntriesRequestProto withoutEntries(AppendEntriesRequestProto request) {
    return request.toBuilder().clearEntries().build();
  }

  /** The reply to a heartbeat of a follower that has no room. */
  static AppendEntriesReplyProto marked(AppendEntriesReplyProto reply) {
    return reply.getResult() == AppendResult.SUCCESS
        ? reply.toBuilder().setMatchIndex(NO_ROOM).build()
        : reply;
  }

  /**
   * The reply to a request whose entries were not let in.
   *
   * @param reply to what was left of it. Where that says more than "yes", such as that the leader
   *     is deposed or an earlier entry is missing, it stands.
   */
  static AppendEntriesReplyProto refusal(
      AppendEntriesRequestProto request, AppendEntriesReplyProto reply) {
    AppendEntriesReplyProto.Builder refusal = reply.toBuilder().setIsHearbeat(false);
    if (reply.getResult() == AppendResult.SUCCESS) {
      refusal
          .setServerReply(reply.getServerReply().toBuilder().setSuccess(false))
          .setResult(AppendResult.INCONSISTENCY)
          .setNextIndex(request.getEntries(0).getIndex())
          .setMatchIndex(NO_ROOM);
    }
    return refusal.build();
  }
}
