package io.quorate.ratis.log;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The content of a log file differs from what was written, and the difference may affect
 * acknowledged entries.
 */
public final class DamagedLogException extends IOException {
  private static final long serialVersionUID = 1L;

  DamagedLogException(Path file, long offset, String detail) {
    super(
        "The Raft log file %s is damaged at byte %d (%s), and entries that this node acknowledged"
                .formatted(file, offset, detail)
            + " may be lost: restore the file, or leave the node off");
  }
}
