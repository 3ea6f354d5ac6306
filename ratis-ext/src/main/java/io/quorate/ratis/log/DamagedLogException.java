package io.quorate.ratis.log;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A log file holds something else than what was written to it, which may have been acknowledged.
 */
public final class DamagedLogException extends IOException {
  private static final long serialVersionUID = 1L;

  DamagedLogException(Path file, long offset, String what) {
    super(
        "The Raft log file %s is damaged at byte %d (%s), and entries that this node acknowledged"
                .formatted(file, offset, what)
            + " may be lost: restore the file, or leave the node off");
  }
}
