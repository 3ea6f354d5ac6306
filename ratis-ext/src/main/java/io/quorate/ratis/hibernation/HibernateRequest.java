package io.quorate.ratis.hibernation;

import io.quorate.common.DecodeException;
import io.quorate.ratis.heartbeat.GroupTerm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * The bytes of a request to hibernate: for how long the groups must not have been used, and them.
 */
final class HibernateRequest {
  private HibernateRequest() {}

  static ByteBuffer encode(Duration idle, List<GroupTerm> groups) {
    ByteBuffer encoded = GroupTerm.encode(groups);
    return ByteBuffer.allocate(Long.BYTES + encoded.remaining())
        .putLong(idle.toMillis())
        .put(encoded)
        .flip();
  }

  /**
   * Reads the time; the groups follow.
   *
   * @throws DecodeException if the request is too short
   */
  static Duration idle(ByteBuffer request) {
    if (request.remaining() < Long.BYTES) {
      throw new DecodeException("a request to hibernate of " + request.remaining() + " bytes");
    }
    return Duration.ofMillis(request.getLong());
  }
}
