package io.quorate.consensus;

import io.quorate.model.GroupId;
import java.io.IOException;

/**
 * The replicas of a node that may have voted or acknowledged something, known outside of the
 * engine's directory: of these the engine must find files. Any thread.
 */
public interface BegunReplicas {

  /** Whether the replica of a group has begun, and was not removed since. Does not block. */
  boolean contains(GroupId group);

  /**
   * Records that a replica begins. Called when its first files are durable, and before it sends
   * anything that depends on them. Has no effect if that is recorded. Blocks; durable when the call
   * returns.
   *
   * @throws IOException if it cannot be recorded; the replica must not begin then
   */
  void add(GroupId group) throws IOException;
}
