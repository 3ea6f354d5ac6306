package io.quorate.rabia.log;

import io.quorate.common.DamagedLogException;
import io.quorate.model.Position;
import java.nio.file.Path;
import java.util.Locale;

/** The failures of a log that lacks records that messages of this replica may depend on (P1). */
final class LogDamage {
  private LogDamage() {}

  private static DamagedLogException failure(String message) {
    return new DamagedLogException(message);
  }

  static DamagedLogException at(Path file, long offset, String what) {
    return failure(
        String.format(
            Locale.ROOT, "The log file %s is damaged at byte %d: %s", file, offset, what));
  }

  /** The records after the state were deleted, because the state machine once had a newer state. */
  static DamagedLogException beginsAfter(Path file, long offset, Position state) {
    return failure(
        String.format(
            Locale.ROOT,
            "The log file %s has no checkpoint before byte %d that the durable position %s of the"
                + " state machine covers; the records before it were deleted when the state was"
                + " newer",
            file,
            offset,
            state));
  }
}
