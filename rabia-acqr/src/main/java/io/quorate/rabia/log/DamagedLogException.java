package io.quorate.rabia.log;

import io.quorate.consensus.Position;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The log lacks something that this replica may have promised to remember (P1). Nothing was
 * changed.
 */
public final class DamagedLogException extends IOException {
  private static final long serialVersionUID = 1L;

  private DamagedLogException(String message) {
    super(message + "; take this disk for lost and replace the replica by one with a new node id");
  }

  static DamagedLogException at(Path file, long offset, String what) {
    return new DamagedLogException(
        "The log file %s is damaged at byte %d: %s".formatted(file, offset, what));
  }

  /** What the state machine would need to go on was deleted, for it has held it once. */
  static DamagedLogException beginsAfter(Path file, long offset, Position state) {
    return new DamagedLogException(
        ("The log file %s has no checkpoint before byte %d that the state machine's durable position"
                + " %s covers, and what led there was deleted when the state was newer")
            .formatted(file, offset, state));
  }
}
