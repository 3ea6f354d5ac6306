package io.quorate.consensus;

import java.io.IOException;

/** A started engine: one a node, holding the node's replicas of any number of groups. */
public interface ConsensusEngine extends AutoCloseable {

  /** What this engine offers under the settings it was started with. */
  Capabilities capabilities();

  /**
   * Takes part in a group, forming it if this node has never been in it. Calls {@link
   * ReplicatedStateMachine#open}, then hands over what was committed since. May block; does not
   * wait for other members.
   *
   * @throws IOException if the group's files cannot be read or the state machine does not open; the
   *     group is not open then
   * @throws IllegalStateException if the group is open already, or the engine closed
   */
  ConsensusGroup open(GroupSpec spec, ReplicatedStateMachine machine) throws IOException;

  /** Closes every group, then frees ports and threads. Blocks. A second call does nothing. */
  @Override
  void close();
}
