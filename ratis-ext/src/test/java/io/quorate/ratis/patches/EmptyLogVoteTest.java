package io.quorate.ratis.patches;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.junit.jupiter.api.Test;

class EmptyLogVoteTest {
  /** What Ratis takes for the last entry of a log without entries. */
  @Test
  void theVoteOfAnEmptyLogHasNoLastEntry() {
    TermIndexProto none = TermIndex.valueOf(0, RaftLog.INVALID_LOG_INDEX).toProto();
    assertThat(EmptyLogVote.counting(vote(none)).hasLastEntry()).isFalse();
  }

  @Test
  void anotherVoteStaysAsItIs() {
    RequestVoteReplyProto vote = vote(TermIndex.valueOf(1, 0).toProto());
    assertThat(EmptyLogVote.counting(vote)).isSameAs(vote);
  }

  private static RequestVoteReplyProto vote(TermIndexProto last) {
    return RequestVoteReplyProto.newBuilder().setLastEntry(last).build();
  }
}
