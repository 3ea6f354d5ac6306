package io.quorate.server.node.bodies;

import io.quorate.consensus.BodyReplication;
import java.util.Optional;

/**
 * What a walk found of the bodies of one region.
 *
 * @param fragments the number of bodies of which this node holds a fragment
 * @param complete the number of bodies of which this node holds a complete copy
 * @param missing the number of bodies of which this node held nothing when the walk found their
 *     rows
 * @param bytes of the fragments and copies
 * @param failed the number of bodies that were due, and that the walk could neither find intact nor
 *     restore
 */
record BodyTally(long fragments, long complete, long missing, long bytes, long failed) {
  static final BodyTally NONE = new BodyTally(0, 0, 0, 0, 0);

  /** Counts one more body. */
  BodyTally with(Optional<BodyReplication.Part> held) {
    if (held.isEmpty()) {
      return new BodyTally(fragments, complete, missing + 1, bytes, failed);
    }
    long sum = bytes + held.get().bytes();
    return switch (held.get().form()) {
      case FRAGMENT -> new BodyTally(fragments + 1, complete, missing, sum, failed);
      case COMPLETE -> new BodyTally(fragments, complete + 1, missing, sum, failed);
    };
  }

  BodyTally withFailed() {
    return new BodyTally(fragments, complete, missing, bytes, failed + 1);
  }
}
