package io.quorate.ratis.hibernation;

import io.quorate.common.DecodeException;
import io.quorate.model.NodeId;
import io.quorate.ratis.heartbeat.GroupTerm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A leader requests a member of its group to hibernate. The response is one byte: 1 if it does.
 *
 * @param idle for how long the member must not have been used
 * @param group and the term in which the sender leads it
 * @param behind the members that lack entries, or do not respond
 */
record HibernateRequest(Duration idle, GroupTerm group, Set<NodeId> behind) {
  ByteBuffer encoded() {
    ByteBuffer encodedGroup = GroupTerm.encode(List.of(group));
    ByteBuffer names = MemberNames.encode(behind);
    return ByteBuffer.allocate(Long.BYTES + encodedGroup.remaining() + names.remaining())
        .putLong(idle.toMillis())
        .put(encodedGroup)
        .put(names)
        .flip();
  }

  /**
   * @throws DecodeException if the bytes are no such request
   */
  static HibernateRequest decode(ByteBuffer bytes) {
    int length = bytes.remaining();
    if (length < Long.BYTES + GroupTerm.BYTES) {
      throw new DecodeException("a request to hibernate of " + length + " bytes");
    }
    Duration idle = Duration.ofMillis(bytes.getLong());
    GroupTerm group = GroupTerm.decodeOne(bytes);
    return new HibernateRequest(idle, group, MemberNames.decode(bytes));
  }

  static ByteBuffer response(boolean accepted) {
    return ByteBuffer.wrap(new byte[] {(byte) (accepted ? 1 : 0)});
  }

  static boolean isAccepted(ByteBuffer response) {
    return response.hasRemaining() && response.get(response.position()) == 1;
  }
}
