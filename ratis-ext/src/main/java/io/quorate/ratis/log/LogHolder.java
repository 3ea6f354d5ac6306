package io.quorate.ratis.log;

/** The state machine of a replica, as its log knows it. */
public interface LogHolder {
  /** The log of this replica; before Ratis opens it. */
  EntryLog log();

  /** An entry was appended. Called under the lock of the log; must not block. */
  void logged(long index, int bytes);
}
