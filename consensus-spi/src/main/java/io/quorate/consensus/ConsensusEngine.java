package io.quorate.consensus;

import io.quorate.model.GroupId;
import java.io.IOException;

/**
 * A running engine. A node has one; it holds the node's replicas of any number of groups. Every
 * method may be called from any thread.
 */
public interface ConsensusEngine extends AutoCloseable {

  /** The features and limits of this engine under the settings it was started with. */
  Capabilities capabilities();

  /**
   * Starts this node's replica of a group. Creates the replica if this node has no files of the
   * group. Calls {@link ReplicatedStateMachine#open}, then delivers the batches that were committed
   * after the position it returns. May block on I/O; does not wait for other members.
   *
   * @throws DamagedReplicaException if files of the replica are damaged or missing ({@link
   *     EngineContext#begun()}); the group is not open then, and other groups can be opened
   * @throws IOException if the group's files cannot be read or the state machine cannot be opened;
   *     the group is not open then
   * @throws IllegalStateException if the group is already open or the engine is closed
   */
  ConsensusGroup open(GroupSpec spec, ReplicatedStateMachine machine) throws IOException;

  /**
   * Removes this node's replica of a group: closes it if it is open, and deletes its files durably.
   * For a node that is no member of the group any more: a member that lost its files would
   * contradict its earlier votes. Has no effect if there are no files. Blocks.
   *
   * @throws IOException if a file cannot be deleted, and after a crash some may be left; the caller
   *     repeats the call before it opens the group again
   */
  void remove(GroupId group) throws IOException;

  /**
   * Closes every group, then releases ports and threads. Blocks until both are done. A second call
   * has no effect.
   */
  @Override
  void close();
}
