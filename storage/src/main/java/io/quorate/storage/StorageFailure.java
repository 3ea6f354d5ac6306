package io.quorate.storage;

import io.quorate.consensus.GroupId;
import java.util.Optional;

/**
 * Why something does not reach the disk now. Nothing committed is lost: what could not be written
 * waits and is tried again; reads go on.
 *
 * @param region the region whose commands wait; empty when a flush of all of them failed
 * @param kind what sort of failure
 * @param message what went wrong, as one sentence
 */
public record StorageFailure(Optional<GroupId> region, Kind kind, String message) {

  /** What the operator may do about a failure. */
  public enum Kind {
    /** The disk is full. Goes on by itself when there is space again. */
    NO_SPACE,

    /** The disk answers with errors. Goes on by itself if they stop, or after a restart. */
    IO,

    /** What was read is not what was written. Needs the replica to be rebuilt from the others. */
    CORRUPTION,

    /** A defect in this program. */
    INTERNAL
  }
}
