package io.quorate.server.node.moves;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.NodeId;
import io.quorate.server.topology.RegionAssignment;
import java.util.Optional;

/** A node with at most one replica of the region. It acts on the assignment that it knows. */
final class ModelNode {
  /** The steps of a removal, in which the node may crash. */
  private enum Removal {
    NONE,
    CLOSED,
    FILES_REMOVED
  }

  final NodeId id;
  private final Optional<MoveMutation> mutation;

  /** The version of the topology that the node knows; lower ones may follow after a restart. */
  int known;

  Optional<RegionEpoch> record = Optional.empty();
  boolean isOpen;
  private boolean hasFiles;

  /** The number of entries in the log of the replica. */
  int entries;

  private Removal removal = Removal.NONE;

  ModelNode(NodeId id, Optional<MoveMutation> mutation) {
    this.id = id;
    this.mutation = mutation;
  }

  private boolean breaks(MoveMutation rule) {
    return mutation.equals(Optional.of(rule));
  }

  /** Takes the next step by an assignment. */
  void follow(RegionAssignment region) {
    if (removal == Removal.CLOSED) {
      hasFiles = false;
      entries = 0;
      removal = Removal.FILES_REMOVED;
    } else if (removal == Removal.FILES_REMOVED) {
      record = Optional.empty();
      removal = Removal.NONE;
    } else if (region.concerns(id)) {
      host(region);
    } else if (record.isPresent()
        && (region.epoch().compareTo(record.get()) > 0
            || breaks(MoveMutation.REMOVAL_BY_ANY_EPOCH))) {
      isOpen = false;
      removal = Removal.CLOSED;
    }
  }

  private void host(RegionAssignment region) {
    if (!hasFiles && !region.isJoinedBy(id) && !region.epoch().equals(RegionEpoch.FIRST)) {
      return;
    }
    boolean isNewer = record.isEmpty() || region.epoch().compareTo(record.get()) > 0;
    if (isNewer && !(record.isPresent() && breaks(MoveMutation.ONE_RECORD))) {
      record = Optional.of(region.epoch());
    }
    hasFiles = true;
    isOpen = true;
  }

  /** Whether the node has all entries on its disk. */
  boolean has(int all) {
    return hasFiles && entries >= all;
  }

  boolean isEmpty() {
    return !hasFiles && record.isEmpty();
  }

  /** Ends and starts; the topology that it knows then may be any former one. */
  void crash(int knownThen) {
    isOpen = false;
    removal = Removal.NONE;
    known = knownThen;
  }
}
