package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.NodeId;
import java.util.List;

/**
 * A node in the topology of a cluster.
 *
 * @param address the address of its client port
 * @param labels its failure domains, the widest first
 * @param isDraining whether it is to have no replicas
 */
public record NodeDescriptor(
    NodeId id, NodeAddress address, List<String> labels, boolean isDraining) {
  public NodeDescriptor {
    Nulls.refuse(id, "id");
    Nulls.refuse(address, "address");
    labels = List.copyOf(Nulls.refuse(labels, "labels"));
  }
}
