package io.quorate.replication.log.segment;

import io.quorate.common.Checksums;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * The start of a segment.
 *
 * @param number of the segment
 * @param salt of the log, random
 * @param previousEnd the offset after the last record of the segment before; 0 if there was none
 */
public record SegmentStart(long number, long salt, LogOwner owner, int previousEnd) {
  /** The length of its encoding, the offset of the first record. */
  public static final int BYTES = 512;

  private static final byte[] MAGIC = "QRNODLOG".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int VERSION_AT = 8;
  private static final int CHECKED_BYTES = 8 + 4 + 4 * 8 + 4 + 1 + 64;

  /** Writes it at the beginning of a buffer, and sets the position after it. */
  void encode(ByteBuffer to) {
    byte[] node = owner.node().value().getBytes(StandardCharsets.US_ASCII);
    to.put(MAGIC).putInt(VERSION).putLong(number).putLong(salt);
    to.putLong(owner.cluster().getMostSignificantBits());
    to.putLong(owner.cluster().getLeastSignificantBits());
    to.putInt(previousEnd).put((byte) node.length).put(node);
    while (to.position() < BYTES) {
      to.put((byte) 0);
    }
    to.putInt(CHECKED_BYTES, Checksums.of(to.slice(0, CHECKED_BYTES)));
  }

  /**
   * Reads the start of a file. Blocks.
   *
   * @return empty if it is damaged
   * @throws IOException if the file cannot be opened, or another version of the program wrote it
   */
  public static Optional<SegmentStart> read(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      readInto(channel, bytes);
    }
    return decode(file, bytes.flip());
  }

  private static void readInto(FileChannel channel, ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // Short reads are continued.
      }
    } catch (IOException e) {
      // What the device does not return is damaged.
      bytes.clear();
    }
  }

  /**
   * Reads the start of a segment.
   *
   * @return empty if it is damaged
   * @throws IOException if another version of the program wrote it
   */
  static Optional<SegmentStart> decode(Path file, ByteBuffer from) throws IOException {
    byte[] magic = new byte[MAGIC.length];
    if (from.limit() < BYTES
        || !Arrays.equals(magicOf(from, magic), MAGIC)
        || from.getInt(CHECKED_BYTES) != Checksums.of(from.slice(0, CHECKED_BYTES))) {
      return Optional.empty();
    }
    int version = from.getInt(VERSION_AT);
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
    ByteBuffer rest = from.duplicate().position(VERSION_AT + Integer.BYTES);
    long number = rest.getLong();
    long salt = rest.getLong();
    UUID cluster = new UUID(rest.getLong(), rest.getLong());
    int previousEnd = rest.getInt();
    byte[] node = new byte[Byte.toUnsignedInt(rest.get())];
    rest.get(node);
    try {
      NodeId id = new NodeId(new String(node, StandardCharsets.US_ASCII));
      return Optional.of(new SegmentStart(number, salt, new LogOwner(cluster, id), previousEnd));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static byte[] magicOf(ByteBuffer from, byte[] into) {
    from.get(0, into);
    return into;
  }
}
