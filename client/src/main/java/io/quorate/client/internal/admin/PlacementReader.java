package io.quorate.client.internal.admin;

import io.quorate.client.cluster.PlacementPreview;
import io.quorate.client.cluster.PlacementState;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.client.internal.topology.TopologyReader;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.v1.ChangeNodesResponse;
import io.quorate.protocol.wire.v1.Placement;
import io.quorate.protocol.wire.v1.PlacementDecision;
import io.quorate.protocol.wire.v1.PlannedTransfer;
import io.quorate.protocol.wire.v1.RegionChange;
import java.time.Instant;
import java.util.Optional;

/** Decisions and plans of placement in messages. Any thread; nothing blocks. */
final class PlacementReader {
  private PlacementReader() {}

  /** A change that is planned. */
  static PlannedChange change(RegionChange message) {
    return new PlannedChange(
        new GroupId(message.getRegion()),
        TopologyReader.optionalNode(message.getChange().getFrom()),
        TopologyReader.optionalNode(message.getChange().getTo()),
        message.getRowBytes(),
        message.getReason());
  }

  /** What a node has decided. */
  static PlacementState placement(Placement message) {
    return new PlacementState(
        message.getPolicy(),
        message.getDecisionsList().stream().map(PlacementReader::decision).toList(),
        message.getWholeRegionsList().stream()
            .map(
                region ->
                    new PlacementState.WholeRegion(
                        new GroupId(region.getRegion()), region.getRowBytes(), region.getReason()))
            .toList());
  }

  private static PlacementState.Decision decision(PlacementDecision message) {
    return new PlacementState.Decision(
        Instant.ofEpochMilli(message.getTimeMs()),
        message.getKind(),
        new GroupId(message.getRegion()),
        TopologyReader.optionalNode(message.getFrom()),
        TopologyReader.optionalNode(message.getTo()),
        message.getReason(),
        message.getOutcome().isEmpty() ? Optional.empty() : Optional.of(message.getOutcome()));
  }

  /** What placement is going to do. */
  static PlacementPreview preview(ChangeNodesResponse message) {
    return new PlacementPreview(
        message.getChangesList().stream().map(PlacementReader::change).toList(),
        message.getTransfersList().stream().map(PlacementReader::transfer).toList());
  }

  private static PlacementPreview.Transfer transfer(PlannedTransfer message) {
    return new PlacementPreview.Transfer(
        new GroupId(message.getRegion()),
        new NodeId(message.getFrom()),
        new NodeId(message.getTo()),
        message.getReason());
  }
}
