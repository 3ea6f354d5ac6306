package io.quorate.storage.snapshot;

import io.quorate.common.Failpoint;
import java.util.Locale;

/** The steps of a snapshot install, in order. A crash may happen between any two. */
enum InstallStep {
  /** The files are complete and belong to this region. */
  VERIFIED,
  /** They are durable in the staging directory. */
  STAGED,
  /** The marker is durable: the next open reports the new state. */
  MARKED,
  /** The old rows and sessions are deleted. */
  CLEARED,
  /** The new rows are in the database. */
  ROWS_TAKEN,
  /** The new sessions are in the database. */
  SESSIONS_TAKEN,
  /** The new position is written and the marker removed. */
  POSITIONED,
  /** Both are durable. */
  DURABLE,
  /** The staging directory is gone. */
  DROPPED;

  /** Reached after the step is done. */
  final Failpoint done =
      Failpoint.named("storage.install." + name().toLowerCase(Locale.ROOT).replace('_', '-'));
}
