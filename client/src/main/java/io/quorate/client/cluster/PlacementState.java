package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a node has decided about replicas and leaders since it began to place them.
 *
 * @param policy the name of the policy
 * @param decisions the last ones, the newest first
 * @param wholeRegions large regions that are not split, the largest first; some of them if there
 *     are many
 */
public record PlacementState(
    String policy, List<Decision> decisions, List<WholeRegion> wholeRegions) {
  public PlacementState {
    Nulls.refuse(policy, "policy");
    decisions = List.copyOf(Nulls.refuse(decisions, "decisions"));
    wholeRegions = List.copyOf(Nulls.refuse(wholeRegions, "wholeRegions"));
  }

  /**
   * A large region that is not split.
   *
   * @param rowBytes the approximate size of its rows in bytes, with its large values
   * @param reason why; no sentence
   */
  public record WholeRegion(GroupId region, long rowBytes, String reason) {
    public WholeRegion {
      Nulls.refuse(region, "region");
      Nulls.refuse(reason, "reason");
    }
  }

  /**
   * A decision about one region.
   *
   * @param kind what was decided: add, move, remove, split or transfer
   * @param from the node with the replica or the leadership; empty if there is none
   * @param to the node that is to have it; empty if there is none
   * @param reason why; no sentence
   * @param outcome what has become of it; empty while that is not known
   */
  public record Decision(
      Instant time,
      String kind,
      GroupId region,
      Optional<NodeId> from,
      Optional<NodeId> to,
      String reason,
      Optional<String> outcome) {
    public Decision {
      Nulls.refuse(time, "time");
      Nulls.refuse(kind, "kind");
      Nulls.refuse(region, "region");
      Nulls.refuse(from, "from");
      Nulls.refuse(to, "to");
      Nulls.refuse(reason, "reason");
      Nulls.refuse(outcome, "outcome");
    }
  }
}
