package io.quorate.client;

import io.quorate.client.wire.v1.ChangeNodesResponse;
import io.quorate.client.wire.v1.PlannedTransfer;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import java.util.List;

/**
 * What placement is going to do if every node stays as it is.
 *
 * @param changes the changes of replicas until none is left, those under way first
 * @param transfers the next transfers of leadership
 */
public record PlacementPreview(List<PlannedChange> changes, List<Transfer> transfers) {
  public PlacementPreview {
    changes = List.copyOf(changes);
    transfers = List.copyOf(transfers);
  }

  /**
   * A transfer of the leadership of a region.
   *
   * @param reason why; no sentence
   */
  public record Transfer(GroupId region, NodeId from, NodeId to, String reason) {
    private static Transfer of(PlannedTransfer message) {
      return new Transfer(
          new GroupId(message.getRegion()),
          new NodeId(message.getFrom()),
          new NodeId(message.getTo()),
          message.getReason());
    }
  }

  static PlacementPreview of(ChangeNodesResponse message) {
    return new PlacementPreview(
        message.getChangesList().stream().map(PlannedChange::of).toList(),
        message.getTransfersList().stream().map(Transfer::of).toList());
  }
}
