package io.quorate.ratis.heartbeat;

import io.quorate.common.DecodeException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroupId;

/** A group and the term in which the sender leads it. */
public record GroupTerm(RaftGroupId group, long term) {
  /** The length of one in bytes. */
  public static final int BYTES = 3 * Long.BYTES;

  private static final UUID NOTHING = new UUID(0, 0);

  /** One after the other. */
  public static ByteBuffer encode(List<GroupTerm> groups) {
    ByteBuffer bytes = ByteBuffer.allocate(groups.size() * BYTES);
    for (GroupTerm each : groups) {
      UUID id = each.group().getUuid();
      bytes.putLong(id.getMostSignificantBits());
      bytes.putLong(id.getLeastSignificantBits());
      bytes.putLong(each.term());
    }
    return bytes.flip();
  }

  /**
   * @throws DecodeException if the bytes are no whole number of entries, or an id is 0
   */
  public static List<GroupTerm> decode(ByteBuffer bytes) {
    if (bytes.remaining() % BYTES != 0) {
      throw new DecodeException("a heartbeat of " + bytes.remaining() + " bytes");
    }
    List<GroupTerm> groups = new ArrayList<>(bytes.remaining() / BYTES);
    while (bytes.hasRemaining()) {
      groups.add(decodeOne(bytes));
    }
    return groups;
  }

  /**
   * Decodes the next {@link #BYTES} bytes.
   *
   * @throws DecodeException if the id is 0, which Ratis reserves
   */
  public static GroupTerm decodeOne(ByteBuffer bytes) {
    UUID id = new UUID(bytes.getLong(), bytes.getLong());
    if (id.equals(NOTHING)) {
      throw new DecodeException("a group has the id 0");
    }
    return new GroupTerm(RaftGroupId.valueOf(id), bytes.getLong());
  }
}
