package io.quorate.storage.options;

import io.quorate.model.GroupId;
import java.util.Optional;

/**
 * Why a write to the disk currently fails, or why rows cannot be read. Nothing committed is lost: a
 * write is retried, and reads continue. After a failed fsync of bodies, bodies are not written
 * until the next start; damaged rows are not read before the disk is replaced.
 *
 * @param region the region whose commands wait, or whose rows are damaged; empty if a flush of all
 *     regions failed, or an fsync of bodies
 * @param kind the kind of failure
 * @param message the cause, as one sentence
 */
public record StorageFailure(Optional<GroupId> region, Kind kind, String message) {

  /** Kinds of failures, by what the operator can do. */
  public enum Kind {
    /** The disk is full. Recovers automatically when there is space again. */
    NO_SPACE,

    /**
     * The disk or the system returns errors, such as too many open files. RocksDB may keep an error
     * that has ended until it is opened again: a node whose writes fail for long is to be
     * restarted.
     */
    IO,

    /** The data read differs from the data written. The replica must be rebuilt from the others. */
    CORRUPTION,

    /** A defect in this program. */
    INTERNAL
  }
}
