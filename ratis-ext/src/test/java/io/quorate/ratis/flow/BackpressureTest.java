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
  void whatIsLeftOfARequestSaysWhoLeadsAndWhatIsCommitted() {
    AppendEntriesRequestProto left = Backpressure.withoutEntries(REQUEST);
    assertThat(left.getEntriesCount()).isZero();
    assertThat(left.toBuilder().addAllEntries(REQUEST.getEntriesList()).build()).isEqualTo(REQUEST);
  }

  @Test
  void entriesThatAreNotLetInAreNotAcknowledgedAndAreWantedLater() {
    AppendEntriesReplyProto refusal = Backpressure.refusal(REQUEST, reply(AppendResult.SUCCESS));
    assertThat(refusal.getResult()).isEqualTo(AppendResult.INCONSISTENCY);
    assertThat(refusal.getServerReply().getSuccess()).isFalse();
    assertThat(refusal.getServerReply().getCallId()).isEqualTo(9);
    assertThat(refusal.getIsHearbeat()).as("it answers a request with entries").isFalse();
    assertThat(refusal.getNextIndex()).isEqualTo(7);
    assertThat(refusal.getMatchIndex()).isNegative();
    assertThat(Backpressure.isIn(refusal)).isTrue();
  }

  @Test
  void whatRatisSaysBesidesStands() {
    for (AppendResult result :
        new AppendResult[] {AppendResult.NOT_LEADER, AppendResult.INCONSISTENCY}) {
      AppendEntriesReplyProto said = reply(result);
      assertThat(Backpressure.marked(said)).isEqualTo(said);
      assertThat(Backpressure.refusal(REQUEST, said))
          .isEqualTo(said.toBuilder().setIsHearbeat(false).build());
    }
  }

  @Test
  void aHeartbeatIsAcknowledgedAndCarriesTheMark() {
    AppendEntriesReplyProto said = reply(AppendResult.SUCCESS);
    assertThat(Backpressure.isIn(said)).isFalse();
    AppendEntriesReplyProto marked = Backpressure.marked(said);
    assertThat(Backpressure.isIn(marked)).isTrue();
    assertThat(marked.toBuilder().setMatchIndex(said.getMatchIndex()).build()).isEqualTo(said);
  }
}
