package io.quorate.ratis;

import io.quorate.common.HostPort;
import io.quorate.common.LogLimit;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.NodeId;
import io.quorate.ratis.rpc.RaftMessageHandlers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses entries that no replica can apply, before they are in the log: once there and committed,
 * such an entry would end this node at each start. Looks at each entry without a copy. Any thread.
 */
final class ReceivedEntries implements RaftMessageHandlers.Entries {
  private static final Logger LOG = LoggerFactory.getLogger(ReceivedEntries.class);

  private static final ByteString NO_CLIENT = ByteString.copyFrom(new byte[2 * Long.BYTES]);

  private final LogLimit refusing = new LogLimit();
  private final MetricsSink.Counter refused;

  ReceivedEntries(MetricsSink telemetry) {
    this.refused =
        telemetry.counter(
            "raft.entries.refused",
            "Requests of leaders with an entry that cannot be applied",
            Map.of());
  }

  @Override
  public Optional<String> refusal(NodeId from, List<LogEntryProto> received) {
    for (LogEntryProto entry : received) {
      try {
        require(entry);
      } catch (RuntimeException e) {
        return Optional.of(refuse(from, entry, e));
      }
    }
    return Optional.empty();
  }

  private String refuse(NodeId from, LogEntryProto entry, RuntimeException why) {
    refused.add(1);
    refusing.log(
        leftOut ->
            LOG.error(
                "Refused an entry that cannot be applied leader={} term={} index={}: {}{}",
                from,
                entry.getTerm(),
                entry.getIndex(),
                why.getMessage(),
                LogLimit.text(leftOut)));
    return "Entry "
        + entry.getIndex()
        + " of node "
        + from
        + " cannot be applied: "
        + why.getMessage();
  }

  /** Throws what applying the entry would. */
  private static void require(LogEntryProto entry) {
    switch (entry.getLogEntryBodyCase()) {
      case STATEMACHINELOGENTRY -> {
        StateMachineLogEntryProto commands = entry.getStateMachineLogEntry();
        EntryCodec.require(commands.getLogData().asReadOnlyByteBuffer());
        requireClient(commands.getClientId());
      }
      case CONFIGURATIONENTRY -> require(entry.getConfigurationEntry());
      case METADATAENTRY -> {
        // It has a number alone.
      }
      case LOGENTRYBODY_NOT_SET ->
          throw new IllegalArgumentException("A log entry has no content.");
    }
  }

  /** Ratis makes a {@code ClientId} of it. */
  private static void requireClient(ByteString id) {
    if (id.size() != NO_CLIENT.size() || id.equals(NO_CLIENT)) {
      throw new IllegalArgumentException("A log entry has no client.");
    }
  }

  private static void require(RaftConfigurationProto configuration) {
    List<RaftPeerProto> members = configuration.getPeersList();
    if (members.isEmpty()) {
      throw new IllegalArgumentException("A configuration has no members.");
    }
    Stream.of(
            members,
            configuration.getOldPeersList(),
            configuration.getListenersList(),
            configuration.getOldListenersList())
        .flatMap(List::stream)
        .forEach(
            peer -> {
              new NodeId(peer.getId().toStringUtf8());
              HostPort.parse(peer.getAddress());
            });
  }
}
