package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.util.Optional;

/**
 * The outcome of a request for the state of one node.
 *
 * @param id the name of the node; empty if it is not known
 * @param address the address to which the request was sent
 * @param state the state that the node reported; empty if it did not respond
 * @param problem the reason for the missing response, in one sentence; empty if the node responded
 */
public record NodeReport(
    Optional<NodeId> id, NodeAddress address, Optional<NodeState> state, Optional<String> problem) {
  public NodeReport {
    Nulls.refuse(id, "id");
    Nulls.refuse(address, "address");
    Nulls.refuse(state, "state");
    Nulls.refuse(problem, "problem");
  }

  /** Returns whether the node responded. */
  public boolean isUp() {
    return state.isPresent();
  }

  /** Returns what the node reported of its replica of a region; empty if it reported none. */
  public Optional<ReplicaState> replica(GroupId region) {
    Nulls.refuse(region, "region");
    return state.stream()
        .flatMap(node -> node.replicas().stream())
        .filter(replica -> replica.region().id().equals(region))
        .findFirst();
  }

  /** Returns the name of the node, or its address if the name is not known. */
  public String name() {
    return id.map(NodeId::value).orElseGet(address::toString);
  }
}
