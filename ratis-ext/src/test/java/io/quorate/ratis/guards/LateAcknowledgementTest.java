package io.quorate.ratis.guards;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.ratis.log.StatesInMemory;
import io.quorate.ratis.patches.AppendSequences;
import io.quorate.ratis.read.LeaseGrants;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.Test;

/**
 * Entries are on disk, and the acknowledgement of Ratis is late: since they were received, this
 * replica may have voted in another term, and another leader may have replaced them.
 */
class LateAcknowledgementTest {
  private final RaftServer.Division division = FakeDivision.of(StatesInMemory.begin(0));
  private final CompletableFuture<AppendEntriesReplyProto> late = new CompletableFuture<>();
  private final RaftServer guarded =
      new GuardedRaftServer(
          (RaftServer)
              Proxy.newProxyInstance(
                  RaftServer.class.getClassLoader(),
                  new Class<?>[] {RaftServer.class},
                  (proxy, method, arguments) ->
                      method.getName().equals("getDivision") ? division : late),
          new LeaseGrants(Duration.ZERO, System::nanoTime),
          new AppendSequences(),
          new SwitchedCondition());

  private AppendEntriesReplyProto acknowledged(long leaderTerm, long term, long index)
      throws IOException {
    CompletableFuture<AppendEntriesReplyProto> reply =
        guarded.appendEntriesAsync(
            AppendEntriesRequestProto.newBuilder()
                .setServerRequest(
                    RaftRpcRequestProto.newBuilder()
                        .setRequestorId(RaftPeerId.valueOf("leader").toByteString())
                        .setRaftGroupId(
                            ProtoUtils.toRaftGroupIdProtoBuilder(
                                RaftGroupId.valueOf(new UUID(0, 1)))))
                .setLeaderTerm(leaderTerm)
                .addEntries(LogEntryProto.newBuilder().setTerm(term).setIndex(index))
                .build());
    assertThat(reply).isNotDone();
    late.complete(
        AppendEntriesReplyProto.newBuilder()
            .setResult(AppendResult.SUCCESS)
            .setMatchIndex(index)
            .build());
    return reply.join();
  }

  @Test
  void anEntryThatTheReplicaHasIsAcknowledged() throws IOException {
    AppendEntriesReplyProto reply =
        acknowledged(FakeDivision.TERM, FakeDivision.ENTRIES_TERM, FakeDivision.STATE);
    assertThat(reply.getResult()).isEqualTo(AppendResult.SUCCESS);
    assertThat(reply.getMatchIndex()).isEqualTo(FakeDivision.STATE);
  }

  @Test
  void nothingIsAcknowledgedToALeaderOfAFormerTerm() throws IOException {
    AppendEntriesReplyProto reply =
        acknowledged(FakeDivision.TERM - 1, FakeDivision.ENTRIES_TERM, FakeDivision.STATE);
    assertThat(reply.getResult()).isEqualTo(AppendResult.NOT_LEADER);
    assertThat(reply.getTerm()).isEqualTo(FakeDivision.TERM);
  }

  @Test
  void anEntryThatIsNotInTheLogAnyMoreIsNotAcknowledged() throws IOException {
    AppendEntriesReplyProto reply =
        acknowledged(FakeDivision.TERM, FakeDivision.TERM, FakeDivision.STATE + 1);
    assertThat(reply.getResult()).isEqualTo(AppendResult.INCONSISTENCY);
    assertThat(reply.getNextIndex()).isEqualTo(FakeDivision.STATE + 1);
  }
}
