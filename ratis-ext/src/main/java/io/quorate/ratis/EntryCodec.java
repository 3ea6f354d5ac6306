package io.quorate.ratis;

import io.quorate.consensus.Command;
import java.nio.BufferUnderflowException;
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
   * @throws IllegalArgumentException if the bytes are not an entry of this format
   */
  static List<ByteBuffer> decode(ByteBuffer entry) {
    try {
      return decodeFrom(entry.asReadOnlyBuffer());
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("A log entry ends before it is complete.", e);
    }
  }

  private static List<ByteBuffer> decodeFrom(ByteBuffer from) {
    byte version = from.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "A log entry has format " + version + "; this release reads " + VERSION + ".");
    }
    int count = from.getInt();
    if (count < 0 || count > from.remaining() / COMMAND_OVERHEAD_BYTES) {
      throw new IllegalArgumentException(
          "A log entry claims " + count + " commands, more than it holds.");
    }
    List<ByteBuffer> commands = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = from.getInt();
      if (length < 0 || length > from.remaining()) {
        throw new IllegalArgumentException(
            "A command claims " + length + " bytes where " + from.remaining() + " are left.");
      }
      commands.add(from.slice(from.position(), length));
      from.position(from.position() + length);
    }
    return commands;
  }
}
