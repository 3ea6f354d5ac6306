package io.quorate.ratis.log;

import io.quorate.replication.threads.SharedLoops;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The state machine of a replica, as the classes in Ratis' place know it: what they share with the
 * other replicas of the node. Any thread; nothing blocks.
 */
public interface ReplicaParts {
  /** The log of this replica; before Ratis opens it. */
  EntryLog log();

  /** An entry was appended. Called under the lock of the log. */
  void logged(long index, int bytes);

  /** The threads of all replicas. */
  SharedLoops loops();

  /** Runs what may wait for other nodes. */
  Executor blocking();

  /**
   * Called once, before an entry is applied.
   *
   * @param more applies what is committed by then
   */
  void appliedBy(Runnable more);

  /**
   * Completes when the state machine may be given another entry, which is at once as a rule.
   *
   * @return fails if the state machine has failed, and takes no more
   */
  CompletableFuture<Void> capacity();

  /**
   * An entry could not be applied, and this replica ends.
   *
   * @param index of the entry
   */
  void applyFailed(long index, Throwable cause);
}
