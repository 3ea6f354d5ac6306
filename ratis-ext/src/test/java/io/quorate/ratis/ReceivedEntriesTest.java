package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Command;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.NodeId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.MetadataProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

class ReceivedEntriesTest {
  private static final NodeId LEADER = new NodeId("n1");
  private static final ByteString CLIENT = ClientId.randomId().toByteString();
  private static final LogEntryProto GOOD =
      commands(
          ByteString.copyFrom(
              EntryCodec.encode(
                  List.of(
                      new Command(ByteBuffer.allocate(3)), new Command(ByteBuffer.allocate(1))))),
          CLIENT);

  private final ReceivedEntries entries = new ReceivedEntries(MetricsSink.NONE);

  private static LogEntryProto commands(ByteString data, ByteString client) {
    return LogEntryProto.newBuilder()
        .setTerm(3)
        .setIndex(7)
        .setStateMachineLogEntry(
            StateMachineLogEntryProto.newBuilder().setLogData(data).setClientId(client))
        .build();
  }

  private static LogEntryProto members(String... ids) {
    RaftConfigurationProto.Builder configuration = RaftConfigurationProto.newBuilder();
    for (String id : ids) {
      configuration.addPeers(
          RaftPeerProto.newBuilder()
              .setId(ByteString.copyFromUtf8(id))
              .setAddress("localhost:7102"));
    }
    return LogEntryProto.newBuilder().setConfigurationEntry(configuration).build();
  }

  private Optional<String> refusal(LogEntryProto... request) {
    return entries.refusal(LEADER, List.of(request));
  }

  @Test
  void whatLeadersAppendIsAccepted() {
    LogEntryProto commit =
        LogEntryProto.newBuilder()
            .setMetadataEntry(MetadataProto.newBuilder().setCommitIndex(6))
            .build();
    assertThat(refusal(GOOD, members("n1", "n2"), commit)).isEmpty();
  }

  @Test
  void theEntryIsNamedWithItsLeader() {
    ByteString bytes = ByteString.copyFrom(new byte[] {9, 0, 0, 0, 0});
    assertThat(refusal(GOOD, commands(bytes, CLIENT)))
        .contains(
            "Entry 7 of node n1 cannot be applied: A log entry has format 9; this release reads"
                + " 1.");
  }

  /** Each would end the thread that applies. */
  @Test
  void whatCannotBeAppliedIsRefused() {
    ByteString data = GOOD.getStateMachineLogEntry().getLogData();
    for (int length = 0; length < data.size(); length++) {
      assertThat(refusal(commands(data.substring(0, length), CLIENT)))
          .as("first %d bytes", length)
          .isPresent();
    }
    assertThat(refusal(commands(data, ByteString.EMPTY))).isPresent();
    assertThat(refusal(commands(data, ByteString.copyFrom(new byte[16])))).isPresent();
    assertThat(refusal(LogEntryProto.getDefaultInstance())).isPresent();
    assertThat(refusal(members())).isPresent();
    assertThat(refusal(members("n1", "no name"))).isPresent();
  }
}
