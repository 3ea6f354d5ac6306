package io.quorate.rabia.log;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.util.Objects;
import java.util.UUID;

/** The replica that a log belongs to; part of every segment header. */
public record LogIdentity(UUID cluster, GroupId group, NodeId node) {
  public LogIdentity {
    Objects.requireNonNull(cluster, "cluster");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(node, "node");
  }

  @Override
  public String toString() {
    return "node " + node + " in group " + group + " of cluster " + cluster;
  }
}
