package io.quorate.client;

import io.quorate.consensus.NodeId;
import java.util.Optional;

/**
 * What one node reported when it was sent a request for its state.
 *
 * @param id the node's name; empty where no node reported it
 * @param address where the request was sent
 * @param state the response; empty if there was none
 * @param problem why there was no response, in one sentence; empty if there was one
 */
public record NodeReport(
    Optional<NodeId> id, NodeAddress address, Optional<NodeState> state, Optional<String> problem) {

  /** Whether the node responded. */
  public boolean isUp() {
    return state.isPresent();
  }

  /** The name, or the address where that is not known. */
  public String name() {
    return id.map(NodeId::value).orElseGet(address::toString);
  }
}
