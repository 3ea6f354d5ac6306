package io.quorate.ratis.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which requests for votes leave a server. */
class GuardedRpcTest {
  @TempDir Path directory;

  private final RaftGroupId group = RaftGroupId.randomId();
  private final AppendSequences sequences = new AppendSequences();
  private final List<String> sent = new ArrayList<>();
  private RaftServer.Division division;
  private boolean fit = true;
  private GrpcServices rpc;

  @BeforeEach
  void start() {
    division = FakeDivision.at(directory);
    rpc =
        GuardedRpc.around(
            answering(
                GrpcServices.class, "requestVote", RequestVoteReplyProto.getDefaultInstance()),
            answering(RaftServer.class, "getDivision", division),
            sequences,
            new ReplicaCondition() {
              @Override
              public boolean hasLog(RaftGroupId of) {
                return true;
              }

              @Override
              public boolean mayWrite(RaftGroupId of) {

                return true;
              }

              @Override
              public boolean mayLead(RaftGroupId of) {
                return fit;
              }
            });
  }

  @Test
  void noVoteIsSoughtWhileEntriesAreOnTheirWayIntoTheLog() throws IOException {
    CompletableFuture<AppendEntriesReplyProto> first = new CompletableFuture<>();
    CompletableFuture<AppendEntriesReplyProto> second = new CompletableFuture<>();
    seekVote(false);
    final CompletableFuture<?> firstAnswer = sequences.of(group, division).append(() -> first);
    final CompletableFuture<?> secondAnswer = sequences.of(group, division).append(() -> second);

    second.complete(AppendEntriesReplyProto.getDefaultInstance());
    assertThat(secondAnswer).isNotDone();
    for (boolean preVote : new boolean[] {true, false}) {
      assertThatThrownBy(() -> seekVote(preVote))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("on their way into the log");
    }

    first.completeExceptionally(new IOException("refused"));
    assertThat(firstAnswer).isCompletedExceptionally();
    assertThat(secondAnswer).isCompleted();
    seekVote(true);
    assertThat(sent).hasSize(2);
  }

  @Test
  void aRequestThatIsNotLetInHoldsNothingUp() {
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

  /** A group that was closed with requests under way, and opened again. */
  @Test
  void anotherLogOfTheGroupIsNotHeldUp() throws IOException {
    sequences.of(group, division).append(CompletableFuture::new);
    assertThat(sequences.isIdle(group)).isFalse();
    assertThat(sequences.of(group, FakeDivision.at(directory)).isIdle()).isTrue();
    assertThat(sequences.isIdle(group)).isTrue();
  }

  @Test
  void noVoteIsSoughtByWhoCouldNotLead() throws IOException {
    fit = false;
    assertThatThrownBy(() -> seekVote(true)).hasMessageContaining("could not lead");
    fit = true;
    seekVote(true);
    assertThat(sent).hasSize(1);
  }

  /** Ratis renames the file that holds the vote, and leaves it at that. */
  @Test
  void aCandidatesOwnVoteIsDurableBeforeItIsToldOf() throws IOException {
    Files.delete(directory);
    seekVote(true);
    assertThatThrownBy(() -> seekVote(false)).isInstanceOf(NoSuchFileException.class);
    assertThat(sent).hasSize(1);
  }

  /** What is behind throws: Ratis never ends a hand-over whose first request does. */
  @Test
  void aMemberThatCannotBeReachedRefusesToLead() throws IOException {
    StartLeaderElectionReplyProto reply =
        rpc.startLeaderElection(
            StartLeaderElectionRequestProto.newBuilder()
                .setServerRequest(RaftRpcRequestProto.newBuilder().setCallId(7))
                .build());
    assertThat(reply.getServerReply().getSuccess()).isFalse();
    assertThat(reply.getServerReply().getCallId()).isEqualTo(7);
  }

  private void seekVote(boolean preVote) throws IOException {
    rpc.requestVote(
        RequestVoteRequestProto.newBuilder()
            .setPreVote(preVote)
            .setServerRequest(
                RaftRpcRequestProto.newBuilder()
                    .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(group)))
            .build());
  }

  private <T> T answering(Class<T> type, String method, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              if (!called.getName().equals(method)) {
                throw new IllegalStateException("no " + called.getName());
              }
              if (type == GrpcServices.class) {
                sent.add(method);
              }
              return answer;
            }));
  }
}
