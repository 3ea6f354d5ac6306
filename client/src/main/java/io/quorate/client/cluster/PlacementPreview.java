package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.util.List;

/**
 * What placement is going to do if every node stays as it is.
 *
 * @param changes the changes of replicas until none is left, those under way first
 * @param transfers the next transfers of leadership
 */
public record PlacementPreview(List<PlannedChange> changes, List<Transfer> transfers) {
  public PlacementPreview {
    changes = List.copyOf(Nulls.refuse(changes, "changes"));
    transfers = List.copyOf(Nulls.refuse(transfers, "transfers"));
  }

  /**
   * A transfer of the leadership of a region.
   *
   * @param reason why; no sentence
   */
  public record Transfer(GroupId region, NodeId from, NodeId to, String reason) {
    public Transfer {
      Nulls.refuse(region, "region");
      Nulls.refuse(from, "from");
      Nulls.refuse(to, "to");
      Nulls.refuse(reason, "reason");
    }
  }
}
