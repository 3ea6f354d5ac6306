package io.quorate.replication.log;

import java.io.IOException;

/**
 * The reports of the log to a group. Called on the group's executor, one call at a time of it; if
 * that is the caller's thread, no lock of the log is held, and nothing may block.
 */
public interface GroupLogEvents {
  /**
   * Every record of the group up to a number is durable, also after power loss. The numbers are
   * those that {@link GroupLog} has returned; reports in between are left out.
   */
  void durable(long through);

  /** A record was refused before, and there is room again. */
  default void room() {}

  /**
   * No further record becomes durable; those that were not reported may or may not be. Reads go on.
   *
   * @param cause a {@link DamagedGroupException} if it concerns this group alone. Otherwise a write
   *     or an fsync has failed: the log can only be opened again, best by a new process.
   */
  void failed(IOException cause);
}
