package io.quorate.ratis.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.ratis.log.StatesInMemory;
import io.quorate.ratis.patches.AppendSequences;
import io.quorate.ratis.patches.Elections;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The requests of a server for votes and for an election at another server. */
class GuardedRpcTest {
  private static final long TERM = 7;

  private final RaftGroupId group = RaftGroupId.randomId();
  private final AppendSequences sequences = new AppendSequences();
  private final List<String> sent = new ArrayList<>();
  private RaftServer.Division division;
  private final List<RaftGroupId> removed = new ArrayList<>();
  private final SwitchedCondition condition = new SwitchedCondition();
  private RequestVoteReplyProto voteReply = RequestVoteReplyProto.getDefaultInstance();
  private RaftServerRpc rpc;

  @BeforeEach
  void start() {
    division = FakeDivision.of(StatesInMemory.begin(0));
    rpc =
        new GuardedRpc(
            returning(RaftServerRpc.class, "requestVote", () -> voteReply),
            returning(RaftServer.class, "getDivision", () -> division),
            sequences,
            new Elections(),
            ReceivingHooks.of(condition, removed::add));
  }

  @Test
  void noVoteIsRequestedWhileEntriesAreInFlightIntoTheLog() throws IOException {
    CompletableFuture<AppendEntriesReplyProto> first = new CompletableFuture<>();
    CompletableFuture<AppendEntriesReplyProto> second = new CompletableFuture<>();
    division.getRaftLog().persistMetadata(RaftStorageMetadata.valueOf(TERM, FakeDivision.ID));
    sendVoteRequest(false);
    final CompletableFuture<?> firstReply = sequences.of(group, division).append(() -> first);
    final CompletableFuture<?> secondReply = sequences.of(group, division).append(() -> second);

    second.complete(AppendEntriesReplyProto.getDefaultInstance());
    assertThat(secondReply).isNotDone();
    for (boolean preVote : new boolean[] {true, false}) {
      assertThatThrownBy(() -> sendVoteRequest(preVote))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("on their way into the log");
    }

    first.completeExceptionally(new IOException("refused"));
    assertThat(firstReply).isCompletedExceptionally();
    assertThat(secondReply).isCompleted();
    sendVoteRequest(true);
    assertThat(sent).hasSize(2);
  }

  @Test
  void aRejectedRequestDoesNotBlockElections() {
    assertThatThrownBy(
            () ->
                sequences
                    .of(group, division)
                    .append(
                        () -> {
                          throw new IOException("not ready");
                        }))
        .hasMessage("not ready");
    assertThat(sequences.isIdle(group)).isTrue();
  }

  /** A group that was closed with requests in flight, and reopened. */
  @Test
  void aReopenedGroupIsNotBlocked() throws IOException {
    sequences.of(group, division).append(CompletableFuture::new);
    assertThat(sequences.isIdle(group)).isFalse();
    assertThat(sequences.of(group, FakeDivision.of(StatesInMemory.begin(0))).isIdle()).isTrue();
    assertThat(sequences.isIdle(group)).isTrue();
  }

  @Test
  void aReplicaThatCouldNotLeadRequestsNoVote() throws IOException {
    condition.mayLead = false;
    assertThatThrownBy(() -> sendVoteRequest(true)).hasMessageContaining("could not lead");
    condition.mayLead = true;
    sendVoteRequest(true);
    assertThat(sent).hasSize(1);
  }

  /** An election may have the term of one operation in memory, and the vote of another. */
  @Test
  void aCandidatesOwnVoteIsOnDiskBeforeItsRequests() throws IOException {
    sendVoteRequest(true);
    for (RaftStorageMetadata other :
        List.of(
            RaftStorageMetadata.valueOf(TERM - 1, FakeDivision.ID),
            RaftStorageMetadata.valueOf(TERM, RaftPeerId.valueOf("another")))) {
      division.getRaftLog().persistMetadata(other);
      assertThatThrownBy(() -> sendVoteRequest(false))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is not on its disk");
    }
    assertThat(sent).hasSize(1);
  }

  @Test
  void aReplicaThatIsNoMemberIsReportedAsRemoved() throws IOException {
    sendVoteRequest(true);
    assertThat(removed).isEmpty();
    voteReply = RequestVoteReplyProto.newBuilder().setShouldShutdown(true).build();
    sendVoteRequest(true);
    assertThat(removed).containsExactly(group);
  }

  /** The transport fails: Ratis never ends a transfer whose first request throws. */
  @Test
  void anUnreachableMemberCountsAsARefusal() throws IOException {
    StartLeaderElectionReplyProto reply =
        rpc.startLeaderElection(
            StartLeaderElectionRequestProto.newBuilder()
                .setServerRequest(RaftRpcRequestProto.newBuilder().setCallId(7))
                .build());
    assertThat(reply.getServerReply().getSuccess()).isFalse();
    assertThat(reply.getServerReply().getCallId()).isEqualTo(7);
  }

  private void sendVoteRequest(boolean preVote) throws IOException {
    rpc.requestVote(
        RequestVoteRequestProto.newBuilder()
            .setPreVote(preVote)
            .setCandidateTerm(TERM)
            .setServerRequest(
                RaftRpcRequestProto.newBuilder()
                    .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(group)))
            .build());
  }

  private <T> T returning(Class<T> type, String method, Supplier<Object> result) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              if (!called.getName().equals(method)) {
                throw new IllegalStateException("no " + called.getName());
              }
              if (type == RaftServerRpc.class) {
                sent.add(method);
              }
              return result.get();
            }));
  }
}
