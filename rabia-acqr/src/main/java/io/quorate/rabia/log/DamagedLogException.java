package io.quorate.rabia.log;

import io.quorate.consensus.Position;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The log lacks records that messages of this replica may depend on (P1). No segment was changed.
 */
public final class DamagedLogException extends IOException {
  private static final long serialVersionUID = 1L;

  private DamagedLogException(String message) {
    super(message + "; treat this disk as lost and replace the replica by one with a new node id");
  }

  static DamagedLogException at(Path file, long offset, String what) {
    return new DamagedLogException(
        "The log file %s is damaged at byte %d: %s".formatted(file, offset, what));
  }

  /** The records after the state were deleted, because the state machine once had a newer state. */
  static DamagedLogException beginsAfter(Path file, long offset, Position state) {
    return new DamagedLogException(
        ("The log file %s has no checkpoint before byte %d that the durable position %s of the"
                + " state machine covers; the records before it were deleted when the state was"
                + " newer")
            .formatted(file, offset, state));
  }
}
