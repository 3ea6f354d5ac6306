package io.quorate.rabia.log;

import io.quorate.common.DamagedLogException;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The header of a segment.
 *
 * @param number the number of the segment, from 1
 * @param first the sequence number of its first record
 */
record SegmentHeader(long number, long first, LogIdentity identity) {
  /** One sector, so that no later write touches the header. */
  static final int BYTES = 512;

  private static final byte[] MAGIC = "QRATELOG".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int NODE_BYTES = 64;
  private static final int CHECKED_BYTES =
      MAGIC.length + Integer.BYTES + 4 * Long.BYTES + Integer.BYTES + 1 + NODE_BYTES;

  ByteBuffer encode() {
    byte[] node = identity.node().value().getBytes(StandardCharsets.US_ASCII);
    ByteBuffer to = ByteBuffer.allocate(BYTES);
    to.put(MAGIC).putInt(VERSION).putLong(number).putLong(first);
    to.putLong(identity.cluster().getMostSignificantBits());
    to.putLong(identity.cluster().getLeastSignificantBits());
    to.putInt(identity.group().value());
    to.put((byte) node.length).put(node);
    to.putInt(CHECKED_BYTES, checksum(to));
    return to.clear();
  }

  /**
   * @param bytes the content of a file; its position and limit stay as they are
   * @throws DamagedLogException if it does not begin with a header
   * @throws IOException if another version of the program wrote it
   */
  static SegmentHeader decode(Path file, ByteBuffer bytes) throws IOException {
    if (bytes.limit() < BYTES) {
      throw LogDamage.at(file, bytes.limit(), "it ends within its header");
    }
    ByteBuffer from = bytes.duplicate().position(0);
    byte[] magic = new byte[MAGIC.length];
    from.get(magic);
    if (!Arrays.equals(magic, MAGIC)) {
      throw LogDamage.at(file, 0, "it does not begin with the magic of a log file");
    }
    int version = from.getInt();
    if (version < 1) {
      throw LogDamage.at(file, MAGIC.length, "it has no version");
    }
    if (version != VERSION) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The log file %s has version %d, and this program reads version %d: start the one"
                  + " that wrote it",
              file,
              version,
              VERSION));
    }
    if (from.getInt(CHECKED_BYTES) != checksum(from)) {
      throw LogDamage.at(file, 0, "the checksum of its header does not match");
    }
    long number = from.getLong();
    long first = from.getLong();
    UUID cluster = new UUID(from.getLong(), from.getLong());
    GroupId group = new GroupId(from.getInt());
    byte[] node = new byte[from.get()];
    from.get(node);
    NodeId id = new NodeId(new String(node, StandardCharsets.US_ASCII));
    return new SegmentHeader(number, first, new LogIdentity(cluster, group, id));
  }

  private static int checksum(ByteBuffer header) {
    CRC32C crc = new CRC32C();
    crc.update(header.duplicate().position(0).limit(CHECKED_BYTES));
    return (int) crc.getValue();
  }
}
