package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Member;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.transport.RawPeer;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.LocalIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that sends what no leader does, over a connection of its own. */
class UndecodableEntryTest {
  private static final NodeId LEADER = new NodeId("n1");
  private static final NodeId FOLLOWER = new NodeId("n2");
  private static final NodeId OTHER = new NodeId("n3");

  @TempDir Path directory;

  private ContractCluster cluster;

  @BeforeEach
  void create() {
    cluster =
        new ContractCluster(
            new RatisEngineProvider(),
            new EngineSettings("engine", FastSettings.with(Map.of())),
            directory,
            3);
  }

  @AfterEach
  void closeAndCheck() {
    cluster.close();
    assertThat(cluster.violations()).as("no node ended").isEmpty();
  }

  /** Once in the log and committed, the entry would end the node at each start. */
  @Test
  void anEntryThatCannotBeAppliedIsRefusedAndTheNodeGoesOn() throws IOException {
    cluster.startAll();
    Position written = cluster.propose("first").position();
    ContractCluster.Node follower = cluster.node(FOLLOWER);
    ContractCluster.awaitApplied(follower, written);
    cluster.stop(List.of(LEADER, OTHER));
    Member to = cluster.firstMembers().get(1);
    try (RawPeer leader =
        RawPeer.connect(identityOf(LEADER), to, Handshake.Purpose.CONSENSUS_REQUESTS)) {
      leader.request(
          new GroupId(Integer.MAX_VALUE),
          RequestKind.APPEND_ENTRIES.code(),
          append(follower.machine().applied()).toByteArray());
      assertThat(leader.receiveFailureDetail())
          .contains("of node n1 cannot be applied: A log entry has format 99");
    }
    cluster.startStopped();
    Position second = cluster.propose("second").position();
    ContractCluster.awaitApplied(follower, second);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(follower.machine().commands()).containsExactly("first", "second"));
  }

  /** Of a leader in a later term, whose entry follows the last one, and is committed. */
  private AppendEntriesRequestProto append(Position last) {
    long term = last.epoch() + 1000;
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRequestorId(RaftIds.peerId(LEADER).toByteString())
                .setReplyId(RaftIds.peerId(FOLLOWER).toByteString())
                .setRaftGroupId(
                    ProtoUtils.toRaftGroupIdProtoBuilder(
                        RaftIds.groupId(cluster.spec().cluster(), cluster.spec().group()))))
        .setLeaderTerm(term)
        .setPreviousLog(TermIndex.valueOf(last.epoch(), last.index()).toProto())
        .setLeaderCommit(last.index() + 1)
        .addEntries(
            LogEntryProto.newBuilder()
                .setTerm(term)
                .setIndex(last.index() + 1)
                .setStateMachineLogEntry(
                    StateMachineLogEntryProto.newBuilder()
                        .setLogData(ByteString.copyFrom(new byte[] {99}))
                        .setClientId(ClientId.randomId().toByteString())))
        .build();
  }

  private LocalIdentity identityOf(NodeId node) throws IOException {
    Path file = directory.resolve(node.value()).resolve("transport").resolve("identities");
    String disk =
        Files.readAllLines(file).stream()
            .filter(line -> line.startsWith("disk "))
            .findFirst()
            .orElseThrow();
    return new LocalIdentity(
        cluster.spec().cluster(), node, UUID.fromString(disk.substring("disk ".length())));
  }
}
