package io.quorate.ratis.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Budget;
import io.quorate.model.NodeId;
import io.quorate.ratis.guards.GuardedRpcType;
import io.quorate.replication.requests.RequestKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;

class PeerRpcTest {
  private static final int ENTRIES_MAX = 2;

  private record Sent(NodeId to, RequestKind kind, CompletableFuture<ByteBuffer> response) {}

  private final List<Sent> sent = new ArrayList<>();
  private boolean isFull;
  private final PeerRpc rpc =
      new PeerRpc(
          new GuardedRpcType(),
          InetSocketAddress.createUnresolved("here", 1),
          () -> new Budget(ENTRIES_MAX, 1 << 20),
          (to, kind, body) -> {
            if (isFull) {
              throw new IllegalStateException("no memory");
            }
            CompletableFuture<ByteBuffer> response = new CompletableFuture<>();
            sent.add(new Sent(to, kind, response));
            return response;
          });

  private static RaftRpcRequestProto header(String to) {
    return RaftRpcRequestProto.newBuilder()
        .setReplyId(RaftPeerId.valueOf(to).toByteString())
        .build();
  }

  private static AppendEntriesRequestProto entries(String to) {
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(header(to))
        .addEntries(LogEntryProto.newBuilder().setIndex(1))
        .build();
  }

  private static AppendEntriesRequestProto heartbeat(String to) {
    return AppendEntriesRequestProto.newBuilder().setServerRequest(header(to)).build();
  }

  @Test
  void heartbeatsPassBesideEntriesThatAreNotAcknowledged() {
    CompletableFuture<AppendEntriesReplyProto> first = rpc.appendEntriesAsync(entries("n2"));
    rpc.appendEntriesAsync(entries("n2"));
    assertThatThrownBy(rpc.appendEntriesAsync(entries("n2"))::join)
        .hasRootCauseInstanceOf(IOException.class)
        .hasMessageContaining("Node n2 has not acknowledged");
    assertThat(rpc.appendEntriesAsync(heartbeat("n2"))).isNotDone();
    assertThat(rpc.appendEntriesAsync(entries("n3"))).as("another node").isNotDone();
    assertThat(sent).extracting(each -> each.to().value()).containsExactly("n2", "n2", "n2", "n3");

    AppendEntriesReplyProto reply = AppendEntriesReplyProto.newBuilder().setMatchIndex(1).build();
    sent.get(0).response().complete(Encoding.encode(reply));
    assertThat(first).isCompletedWithValue(reply);
    assertThat(rpc.appendEntriesAsync(entries("n2"))).isNotDone();
  }

  @Test
  void aFailedRequestFreesItsPlace() {
    rpc.appendEntriesAsync(entries("n2"));
    rpc.appendEntriesAsync(entries("n2"));
    sent.get(0).response().completeExceptionally(new IOException("The connection was lost."));
    assertThat(rpc.appendEntriesAsync(entries("n2"))).isNotDone();
  }

  @Test
  void aRequestThatCannotBeEncodedTakesNoPlace() {
    isFull = true;
    for (int i = 0; i < ENTRIES_MAX; i++) {
      assertThatThrownBy(() -> rpc.appendEntriesAsync(entries("n2"))).hasMessage("no memory");
    }
    isFull = false;
    assertThat(rpc.appendEntriesAsync(entries("n2"))).isNotDone();
  }

  @Test
  void theReasonOfAFailureIsInTheMessage() {
    PeerRpc failing =
        new PeerRpc(
            new GuardedRpcType(),
            InetSocketAddress.createUnresolved("here", 1),
            () -> new Budget(1, 1),
            (to, kind, body) -> CompletableFuture.failedFuture(new IOException("no " + kind)));
    assertThatThrownBy(
            () ->
                failing.requestVote(
                    RequestVoteRequestProto.newBuilder().setServerRequest(header("n2")).build()))
        .isInstanceOf(IOException.class)
        .hasMessage("no REQUEST_VOTE");
  }

  @Test
  void aMalformedResponseIsAFailure() {
    CompletableFuture<AppendEntriesReplyProto> response = rpc.appendEntriesAsync(heartbeat("n2"));
    sent.get(0).response().complete(ByteBuffer.wrap(new byte[] {(byte) 0x0a, 100}));
    assertThatThrownBy(response::join).hasMessageContaining("malformed");
  }
}
