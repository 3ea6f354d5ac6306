package io.quorate.ratis.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.server.raftlog.RaftLog;
import org.junit.jupiter.api.Test;

class BackpressureTest {
  private static final AppendEntriesRequestProto REQUEST =
      AppendEntriesRequestProto.newBuilder()
          .setLeaderTerm(3)
          .setLeaderCommit(5)
          .setPreviousLog(TermIndexProto.newBuilder().setTerm(3).setIndex(6))
          .addEntries(LogEntryProto.newBuilder().setTerm(3).setIndex(7))
          .addEntries(LogEntryProto.newBuilder().setTerm(3).setIndex(8))
          .build();

  private static AppendEntriesReplyProto reply(AppendResult result) {
    return AppendEntriesReplyProto.newBuilder()
        .setServerReply(
            RaftRpcReplyProto.newBuilder().setSuccess(result == AppendResult.SUCCESS).setCallId(9))
        .setTerm(3)
        .setResult(result)
        .setNextIndex(7)
        .setFollowerCommit(5)
        .setMatchIndex(RaftLog.INVALID_LOG_INDEX)
        .setIsHearbeat(true)
        .build();
  }

  @Test
  void aRequestWithoutItsEntriesKeepsTheRest() {
    AppendEntriesRequestProto rest = Backpressure.withoutEntries(REQUEST);
    assertThat(rest.getEntriesCount()).isZero();
    assertThat(rest.toBuilder().addAllEntries(REQUEST.getEntriesList()).build()).isEqualTo(REQUEST);
  }

  @Test
  void rejectedEntriesAreNotAcknowledgedAndAreRequestedAgain() {
    AppendEntriesReplyProto refusal = Backpressure.refusal(REQUEST, reply(AppendResult.SUCCESS));
    assertThat(refusal.getResult()).isEqualTo(AppendResult.INCONSISTENCY);
    assertThat(refusal.getServerReply().getSuccess()).isFalse();
    assertThat(refusal.getServerReply().getCallId()).isEqualTo(9);
    assertThat(refusal.getIsHearbeat()).as("the reply is to a request with entries").isFalse();
    assertThat(refusal.getNextIndex()).isEqualTo(7);
    assertThat(refusal.getMatchIndex()).isNegative();
    assertThat(Backpressure.isIn(refusal)).isTrue();
  }

  @Test
  void otherResultsOfRatisAreKept() {
    for (AppendResult result :
        new AppendResult[] {AppendResult.NOT_LEADER, AppendResult.INCONSISTENCY}) {
      AppendEntriesReplyProto ratisReply = reply(result);
      assertThat(Backpressure.marked(ratisReply)).isEqualTo(ratisReply);
      assertThat(Backpressure.refusal(REQUEST, ratisReply))
          .isEqualTo(ratisReply.toBuilder().setIsHearbeat(false).build());
    }
  }

  @Test
  void aHeartbeatIsAcknowledgedAndCarriesTheMark() {
    AppendEntriesReplyProto ratisReply = reply(AppendResult.SUCCESS);
    assertThat(Backpressure.isIn(ratisReply)).isFalse();
    AppendEntriesReplyProto marked = Backpressure.marked(ratisReply);
    assertThat(Backpressure.isIn(marked)).isTrue();
    assertThat(marked.toBuilder().setMatchIndex(ratisReply.getMatchIndex()).build())
        .isEqualTo(ratisReply);
  }
}
