package io.quorate.storage;

import io.quorate.failpoint.Failpoint;
import java.util.Locale;

/** The steps of taking over a snapshot, in their order. A crash may come between any two. */
enum InstallStep {
  /** The files are whole and belong to this region. */
  VERIFIED,
  /** They are durable in the staging directory. */
  STAGED,
  /** The marker is durable: from here on the new state is what the next opening reports. */
  MARKED,
  /** Old rows and sessions are deleted. */
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

  /** Reached when the step is done. */
  final Failpoint done =
      Failpoint.named("storage.install." + name().toLowerCase(Locale.ROOT).replace('_', '-'));
}
