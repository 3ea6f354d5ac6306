package io.quorate.server.rpc;

import io.quorate.consensus.NodeId;

/** The names of nodes in requests of operators. */
final class NodeNames {
  private NodeNames() {}

  /**
   * @throws RequestRejected if the name is invalid
   */
  static NodeId parse(String name) {
    try {
      return new NodeId(name);
    } catch (IllegalArgumentException e) {
      throw RequestRejected.invalid(e.getMessage() + ".");
    }
  }
}
