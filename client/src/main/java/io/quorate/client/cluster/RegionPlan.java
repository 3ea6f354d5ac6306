package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import java.util.Optional;

/** A change of a region that is planned and not complete. A region has one at a time. */
public sealed interface RegionPlan {
  /** Returns the node that receives a replica; empty if none does. */
  Optional<NodeId> newReplica();

  /**
   * One replica is added, is removed, or moves.
   *
   * @param from the node whose replica is removed; empty if one is added
   * @param to the node that receives a replica; empty if one is removed
   */
  record Replicas(Optional<NodeId> from, Optional<NodeId> to) implements RegionPlan {
    public Replicas {
      Nulls.refuse(from, "from");
      Nulls.refuse(to, "to");
    }

    @Override
    public Optional<NodeId> newReplica() {
      return to;
    }
  }

  /**
   * The region is divided.
   *
   * @param at the first key of the new region
   * @param child the new region
   */
  record Split(Key at, GroupId child) implements RegionPlan {
    public Split {
      Nulls.refuse(at, "at");
      Nulls.refuse(child, "child");
    }

    @Override
    public Optional<NodeId> newReplica() {
      return Optional.empty();
    }
  }

  /**
   * Two neighbouring regions become one. Both have the plan.
   *
   * @param absorbed the region that ends
   * @param into the region before it in key order, which receives its keys
   */
  record Merge(GroupId absorbed, GroupId into) implements RegionPlan {
    public Merge {
      Nulls.refuse(absorbed, "absorbed");
      Nulls.refuse(into, "into");
    }

    @Override
    public Optional<NodeId> newReplica() {
      return Optional.empty();
    }
  }
}
