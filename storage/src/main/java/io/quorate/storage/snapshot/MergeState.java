package io.quorate.storage.snapshot;

import io.quorate.model.GroupId;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.command.RegionShape;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What the region before another one needs to absorb it, at one position.
 *
 * @param contents the encoded rows and sessions; empty if they exceed {@link
 *     Operation.Absorb#STATE_BYTES_MAX}, or values may be bodies
 */
public record MergeState(RegionShape shape, Optional<ByteBuffer> contents) {

  /** Whether the region is frozen by a merge, so that the contents do not change any more. */
  public boolean isFrozenBy(GroupId merge) {
    return shape.isFrozen() && shape.newestChange().equals(merge);
  }

  /** Whether a merge cannot freeze the region any more. */
  public boolean isPast(GroupId merge) {
    return shape.newestChange().compareTo(merge) >= 0;
  }

  /** The command that completes the merge; empty if the region is too large for that. */
  public Optional<Operation.Absorb> absorb(GroupId merge) {
    return contents.map(encoded -> new Operation.Absorb(merge, shape.range(), encoded));
  }
}
