package io.quorate.ratis.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DecodeException;
import io.quorate.model.NodeId;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.transport.GroupRequests;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.Test;

class RaftMessageHandlersTest {
  private static final NodeId LEADER = new NodeId("n1");

  /** What was passed to a thread and has not run. */
  private final Queue<Runnable> threads = new ArrayDeque<>();

  private final Queue<Object> received = new ArrayDeque<>();
  private Optional<String> refusal = Optional.empty();
  private CompletableFuture<AppendEntriesReplyProto> appended = new CompletableFuture<>();
  private final Map<RequestKind, GroupRequests.Handler> handlers =
      new RaftMessageHandlers(
              server(),
              (group, leader, term) -> true,
              (from, entries) -> entries.isEmpty() ? Optional.empty() : refusal,
              threads::add,
              threads::add)
          .byKind();

  private RaftServer server() {
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            (proxy, method, arguments) -> {
              received.add(arguments[0]);
              return switch (method.getName()) {
                case "appendEntriesAsync" -> appended;
                case "requestVote" ->
                    RequestVoteReplyProto.newBuilder().setShouldShutdown(true).build();
                default -> throw new IOException("no " + method.getName());
              };
            });
  }

  private static RaftRpcRequestProto header() {
    return RaftRpcRequestProto.newBuilder()
        .setRequestorId(RaftPeerId.valueOf(LEADER.value()).toByteString())
        .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(RaftGroupId.randomId()))
        .build();
  }

  private static AppendEntriesRequestProto append() {
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(header())
        .addEntries(
            LogEntryProto.newBuilder()
                .setTerm(3)
                .setIndex(7)
                .setStateMachineLogEntry(
                    StateMachineLogEntryProto.newBuilder()
                        .setLogData(ByteString.copyFromUtf8("command"))))
        .build();
  }

  private static ByteBuffer bytes(MessageLite message) {
    Encoding.Outgoing body = new Encoding.Outgoing(message);
    ByteBuffer encoded = ByteBuffer.allocate(body.size());
    body.write(encoded);
    return encoded.flip();
  }

  private CompletableFuture<ByteBuffer> send(NodeId from, RequestKind kind, MessageLite message) {
    return handlers.get(kind).respond(from, bytes(message)).toCompletableFuture();
  }

  @Test
  void entriesArePassedOnAThreadAndTheResponseMayBeLater() {
    AppendEntriesRequestProto request = append();
    CompletableFuture<ByteBuffer> response = send(LEADER, RequestKind.APPEND_ENTRIES, request);
    assertThat(received).isEmpty();
    threads.remove().run();
    assertThat(received.remove()).isEqualTo(request);
    assertThat(response).isNotDone();
    AppendEntriesReplyProto reply =
        AppendEntriesReplyProto.newBuilder().setTerm(3).setMatchIndex(7).build();
    appended.complete(reply);
    assertThat(Encoding.decode(AppendEntriesReplyProto.parser(), response.join())).isEqualTo(reply);
  }

  @Test
  void voteRequestsAndFailuresAreAnswered() {
    CompletableFuture<ByteBuffer> vote =
        send(
            LEADER,
            RequestKind.REQUEST_VOTE,
            RequestVoteRequestProto.newBuilder().setServerRequest(header()).build());
    threads.remove().run();
    assertThat(Encoding.decode(RequestVoteReplyProto.parser(), vote.join()).getShouldShutdown())
        .isTrue();
    CompletableFuture<ByteBuffer> failed =
        send(
            LEADER,
            RequestKind.INSTALL_SNAPSHOT,
            InstallSnapshotRequestProto.newBuilder().setServerRequest(header()).build());
    threads.remove().run();
    assertThatThrownBy(failed::join).hasRootCauseMessage("no installSnapshot");
  }

  /** Those of an append, and the members that come with a snapshot. */
  @Test
  void entriesThatAreRefusedArePassedToNobody() {
    refusal = Optional.of("It cannot be applied.");
    assertThatThrownBy(send(LEADER, RequestKind.APPEND_ENTRIES, append())::join)
        .hasRootCauseMessage("It cannot be applied.");
    InstallSnapshotRequestProto snapshot =
        InstallSnapshotRequestProto.newBuilder()
            .setServerRequest(header())
            .setLastRaftConfigurationLogEntryProto(LogEntryProto.getDefaultInstance())
            .build();
    assertThatThrownBy(send(LEADER, RequestKind.INSTALL_SNAPSHOT, snapshot)::join)
        .hasRootCauseMessage("It cannot be applied.");
    assertThat(threads).isEmpty();
  }

  @Test
  void aNodeSendsOnlyMessagesOfItsOwnReplicas() {
    assertThatThrownBy(() -> send(new NodeId("n2"), RequestKind.APPEND_ENTRIES, append()))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("n2")
        .hasMessageContaining("n1");
    assertThat(threads).isEmpty();
  }

  @Test
  void malformedBytesAreNoMessage() {
    ByteBuffer cut = bytes(append());
    cut.limit(cut.limit() - 1);
    assertThatThrownBy(() -> handlers.get(RequestKind.APPEND_ENTRIES).respond(LEADER, cut))
        .isInstanceOf(DecodeException.class);
  }
}
