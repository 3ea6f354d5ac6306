package io.quorate.ratis.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import io.quorate.ratis.rpc.RaftMessageHandlers.Following;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.LifeCycle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeartbeatReceiverTest {
  private static final NodeId LEADER = new NodeId("n1");
  private static final long TERM = 3;

  private final RaftGroupId group = RaftGroupId.randomId();
  private final List<AppendEntriesRequestProto> repeated = new ArrayList<>();
  private LifeCycle.State state = LifeCycle.State.RUNNING;
  private boolean isFollower = true;
  private RaftPeerId leader = RaftPeerId.valueOf(LEADER.value());
  private AppendResult result = AppendResult.SUCCESS;
  private boolean mayWrite = true;
  private RaftGroupId failing;

  @Test
  void aHeartbeatIsRepeatedAtTheReplica() {
    assertThat(accepted(new GroupTerm(group, TERM))).isEqualTo(bits(0));
    AppendEntriesRequestProto request = repeated.get(0);
    assertThat(request.getLeaderTerm()).isEqualTo(TERM);
    assertThat(request.getEntriesCount()).isZero();
    assertThat(request.getLeaderCommit()).as("it commits nothing").isEqualTo(-1);
    assertThat(request.getServerRequest().getRequestorId()).isEqualTo(leader.toByteString());
  }

  @Test
  void theResponseHasABitForEachGroup() {
    GroupTerm unknown = new GroupTerm(RaftGroupId.randomId(), TERM);
    GroupTerm known = new GroupTerm(group, TERM);
    assertThat(accepted(unknown, known, unknown, known)).isEqualTo(bits(1, 3));
  }

  /** A heartbeat of another term, or of a node that does not lead, would elect or depose it. */
  @ParameterizedTest
  @CsvSource({"2, n1", "4, n1", "3, n2"})
  void aReplicaThatDoesNotFollowTheSenderReceivesNothing(long term, String following) {
    leader = RaftPeerId.valueOf(following);
    assertThat(accepted(new GroupTerm(group, term))).isEqualTo(bits());
    assertThat(repeated).isEmpty();
  }

  @Test
  void aLeaderAndAReplicaThatIsBeingOpenedReceiveNothing() {
    isFollower = false;
    assertThat(accepted(new GroupTerm(group, TERM))).isEqualTo(bits());
    isFollower = true;
    state = LifeCycle.State.STARTING;
    assertThat(accepted(new GroupTerm(group, TERM))).isEqualTo(bits());
    assertThat(repeated).isEmpty();
  }

  @Test
  void aRejectionOfRatisIsReported() {
    result = AppendResult.NOT_LEADER;
    assertThat(accepted(new GroupTerm(group, TERM))).isEqualTo(bits());
  }

  /** For example because the log of one is being closed. */
  @Test
  void theFailureOfOneGroupDoesNotConcernTheOthers() {
    failing = RaftGroupId.randomId();
    assertThat(accepted(new GroupTerm(failing, TERM), new GroupTerm(group, TERM)))
        .isEqualTo(bits(1));
  }

  /** Its locks may be held. */
  @Test
  void nothingIsRepeatedWhileTheDiskDoesNotRespond() {
    mayWrite = false;
    assertThat(accepted(new GroupTerm(group, TERM))).isEqualTo(bits());
    assertThat(repeated).isEmpty();
  }

  @Test
  void aMalformedHeartbeatFails() {
    assertThat(receiver().respond(LEADER, ByteBuffer.allocate(23)).toCompletableFuture())
        .isCompletedExceptionally();
  }

  private BitSet accepted(GroupTerm... groups) {
    return BitSet.valueOf(
        receiver().respond(LEADER, GroupTerm.encode(List.of(groups))).toCompletableFuture().join());
  }

  private static BitSet bits(int... set) {
    BitSet bits = new BitSet();
    for (int bit : set) {
      bits.set(bit);
    }
    return bits;
  }

  private HeartbeatReceiver receiver() {
    return new HeartbeatReceiver(server(), this::follows, () -> mayWrite, Runnable::run);
  }

  private RaftServer server() {
    return proxy(
        RaftServer.class,
        (name, arguments) ->
            switch (name) {
              case "getId" -> RaftPeerId.valueOf("here");
              case "appendEntriesAsync" -> {
                repeated.add((AppendEntriesRequestProto) arguments[0]);
                yield CompletableFuture.completedFuture(
                    AppendEntriesReplyProto.newBuilder().setResult(result).build());
              }
              default -> throw new IllegalStateException("no " + name);
            });
  }

  private boolean follows(RaftGroupId id, NodeId from, long term) {
    if (id.equals(failing)) {
      throw new IllegalStateException("the log is closed");
    }
    if (!id.equals(group)) {
      return false;
    }
    Map<String, Object> values =
        Map.of(
            "getLifeCycleState", state,
            "isFollower", isFollower,
            "getCurrentTerm", TERM,
            "getLeaderId", leader);
    DivisionInfo info = proxy(DivisionInfo.class, (name, arguments) -> values.get(name));
    return Following.follows(info, from, term);
  }

  private interface Method {
    Object call(String name, Object[] arguments) throws IOException;
  }

  private static <T> T proxy(Class<T> type, Method methods) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> methods.call(called.getName(), arguments)));
  }
}
