package io.quorate.ratis.flow;

import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;

/**
 * Back-pressure of a follower whose state machine is behind: a mark in its replies, on which the
 * leader sends no entries for now. The mark is in the match index, which Ratis leaves at -1 in
 * replies that acknowledge nothing. Pure.
 */
public final class Backpressure {
  /** Below every index, so that Ratis at the leader ignores it. */
  private static final long NO_CAPACITY = -2;

  private Backpressure() {}

  /** Whether the follower that sent the reply has no capacity for entries. */
  public static boolean isIn(AppendEntriesReplyProto reply) {
    return reply.getMatchIndex() == NO_CAPACITY;
  }

  /** The request without its entries: term and commit index remain, and it acts as a heartbeat. */
  static AppendEntriesRequestProto withoutEntries(AppendEntriesRequestProto request) {
    return request.toBuilder().clearEntries().build();
  }

  /** The reply to a heartbeat from a follower that has no capacity. */
  static AppendEntriesReplyProto marked(AppendEntriesReplyProto reply) {
    return reply.getResult() == AppendResult.SUCCESS
        ? reply.toBuilder().setMatchIndex(NO_CAPACITY).build()
        : reply;
  }

  /**
   * The reply to a request whose entries were rejected.
   *
   * @param reply the reply to the request without its entries. Its result is kept unless it is a
   *     success, for example if the leader is deposed or an earlier entry is missing.
   */
  static AppendEntriesReplyProto refusal(
      AppendEntriesRequestProto request, AppendEntriesReplyProto reply) {
    AppendEntriesReplyProto.Builder refusal = reply.toBuilder().setIsHearbeat(false);
    if (reply.getResult() == AppendResult.SUCCESS) {
      refusal
          .setServerReply(reply.getServerReply().toBuilder().setSuccess(false))
          .setResult(AppendResult.INCONSISTENCY)
          .setNextIndex(request.getEntries(0).getIndex())
          .setMatchIndex(NO_CAPACITY);
    }
    return refusal.build();
  }
}
