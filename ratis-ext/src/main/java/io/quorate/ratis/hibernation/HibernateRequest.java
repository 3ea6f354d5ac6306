package io.quorate.ratis.hibernation;

import io.quorate.common.DecodeException;
import io.quorate.ratis.heartbeat.GroupTerm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * A leader requests a member of its group to hibernate. The response is one byte: 1 if it does.
 *
 * @param idle for how long the member must not have been used
 * @param group and the term in which the sender leads it
 */
record HibernateRequest(Duration idle, GroupTerm group) {
  ByteBuffer encoded() {
    ByteBuffer encodedGroup = GroupTerm.encode(List.of(group));
    return ByteBuffer.allocate(Long.BYTES + encodedGroup.remaining())
        .putLong(idle.toMillis())
        .put(encodedGroup)
        .flip();
  }

  /**
   * @throws DecodeException if the bytes are no such request
   */
  static HibernateRequest decode(ByteBuffer bytes) {
    int length = bytes.remaining();
    if (length >= Long.BYTES) {
      Duration idle = Duration.ofMillis(bytes.getLong());
      List<GroupTerm> groups = GroupTerm.decode(bytes);
      if (groups.size() == 1) {
        return new HibernateRequest(idle, groups.get(0));
      }
    }
    throw new DecodeException("a request to hibernate of " + length + " bytes");
  }

  static ByteBuffer response(boolean accepted) {
    return ByteBuffer.wrap(new byte[] {(byte) (accepted ? 1 : 0)});
  }

  static boolean isAccepted(ByteBuffer response) {
    return response.hasRemaining() && response.get(response.position()) == 1;
  }
}
