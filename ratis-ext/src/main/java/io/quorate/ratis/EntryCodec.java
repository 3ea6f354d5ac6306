package io.quorate.ratis;

import io.quorate.consensus.Command;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The format of a log entry, which many commands can share.
 *
 * <pre>
 * entry := version(u8) count(i32) (length(i32) command)*
 * </pre>
 */
final class EntryCodec {
  private static final byte VERSION = 1;
  private static final int HEAD_BYTES = 1 + Integer.BYTES;

  /** The size of a command in an entry beyond its own length. */
  static final int COMMAND_OVERHEAD_BYTES = Integer.BYTES;

  private EntryCodec() {}

  /** The size of an entry with one command beyond the length of that command. */
  static int overheadBytes() {
    return HEAD_BYTES + COMMAND_OVERHEAD_BYTES;
  }

  static ByteBuffer encode(List<Command> commands) {
    int size = HEAD_BYTES;
    for (Command command : commands) {
      size = Math.addExact(size, COMMAND_OVERHEAD_BYTES + command.size());
    }
    ByteBuffer entry = ByteBuffer.allocate(size).put(VERSION).putInt(commands.size());
    for (Command command : commands) {
      entry.putInt(command.size()).put(command.payload().duplicate());
    }
    return entry.flip();
  }

  /**
   * The commands, as read-only slices of the entry.
   *
   * @throws IllegalArgumentException as {@link #require}
   */
  static List<ByteBuffer> decode(ByteBuffer entry) {
    require(entry);
    ByteBuffer from = entry.asReadOnlyBuffer();
    from.get();
    int count = from.getInt();
    List<ByteBuffer> commands = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = from.getInt();
      commands.add(from.slice(from.position(), length));
      from.position(from.position() + length);
    }
    return commands;
  }

  /**
   * Looks whether an entry can be decoded: at the lengths alone, without a copy.
   *
   * @param entry is not changed
   * @throws IllegalArgumentException if the bytes are not an entry of this format
   */
  static void require(ByteBuffer entry) {
    int at = entry.position();
    int left = entry.remaining();
    if (left > 0 && entry.get(at) != VERSION) {
      throw new IllegalArgumentException(
          "A log entry has format " + entry.get(at) + "; this release reads " + VERSION + ".");
    }
    if (left < HEAD_BYTES) {
      throw new IllegalArgumentException("A log entry ends before it is complete.");
    }
    int count = entry.getInt(at + 1);
    at += HEAD_BYTES;
    left -= HEAD_BYTES;
    if (count < 0 || count > left / COMMAND_OVERHEAD_BYTES) {
      throw new IllegalArgumentException(
          "A log entry claims " + count + " commands, more than it holds.");
    }
    for (int i = 0; i < count; i++) {
      left -= COMMAND_OVERHEAD_BYTES;
      if (left < 0) {
        throw new IllegalArgumentException("A log entry ends before it is complete.");
      }
      int length = entry.getInt(at);
      if (length < 0 || length > left) {
        throw new IllegalArgumentException(
            "A command claims " + length + " bytes where " + left + " are left.");
      }
      at += COMMAND_OVERHEAD_BYTES + length;
      left -= length;
    }
  }
}
