package io.quorate.ratis;

import io.quorate.consensus.Command;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * How many commands share one log entry.
 *
 * <pre>
 * entry := version(u8) count(i32) (length(i32) command)*
 * </pre>
 */
final class EntryCodec {
  private static final byte VERSION = 1;
  private static final int HEAD_BYTES = 1 + Integer.BYTES;

  /** What a command costs in an entry beyond its own length. */
  static final int COMMAND_OVERHEAD_BYTES = Integer.BYTES;

  private EntryCodec() {}

  /** What an entry costs beyond its only command. */
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

  /** The commands, as read-only slices of the entry. */
  static List<ByteBuffer> decode(ByteBuffer entry) {
    ByteBuffer from = entry.asReadOnlyBuffer();
    byte version = from.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "A log entry has format " + version + "; this release reads " + VERSION + ".");
    }
    int count = from.getInt();
    List<ByteBuffer> commands = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = from.getInt();
      commands.add(from.slice(from.position(), length));
      from.position(from.position() + length);
    }
    return commands;
  }
}
