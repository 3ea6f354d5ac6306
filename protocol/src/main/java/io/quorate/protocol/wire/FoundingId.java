package io.quorate.protocol.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.quorate.common.DecodeException;
import io.quorate.protocol.wire.v1.Topology;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;

/** The id of the founding of a cluster, in a message. */
public final class FoundingId {
  private static final int ID_BYTES = 16;

  private FoundingId() {}

  /**
   * The founding of the cluster of a topology; empty if the node that sent it does not know it.
   *
   * @throws DecodeException if it is malformed
   */
  public static Optional<UUID> of(Topology topology) {
    if (!topology.hasFounding()) {
      return Optional.empty();
    }
    if (topology.getFounding().size() != ID_BYTES) {
      throw new DecodeException("the id of a founding has " + ID_BYTES + " bytes");
    }
    ByteBuffer bytes = topology.getFounding().asReadOnlyByteBuffer();
    return Optional.of(new UUID(bytes.getLong(), bytes.getLong()));
  }

  public static ByteString bytes(UUID founding) {
    return UnsafeByteOperations.unsafeWrap(
        ByteBuffer.allocate(ID_BYTES)
            .putLong(founding.getMostSignificantBits())
            .putLong(founding.getLeastSignificantBits())
            .flip());
  }
}
