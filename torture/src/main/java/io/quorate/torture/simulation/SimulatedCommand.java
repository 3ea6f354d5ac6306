package io.quorate.torture.simulation;

import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import java.nio.ByteBuffer;

/**
 * A write that sets a key to a value that no other write uses, identified by client and sequence
 * number (D1).
 *
 * @param value 0 deletes the key
 */
record SimulatedCommand(int client, int sequence, int key, int value) {
  ByteBuffer encode() {
    return ByteBuffer.allocate(16).putInt(client).putInt(sequence).putInt(key).putInt(value).flip();
  }

  static SimulatedCommand decode(ByteBuffer from) {
    ByteBuffer bytes = from.duplicate();
    return new SimulatedCommand(bytes.getInt(), bytes.getInt(), bytes.getInt(), bytes.getInt());
  }

  static KeyScope writeSet(ByteBuffer command) {
    return KeyScope.key(key(decode(command).key()));
  }

  static Key key(int key) {
    return Key.wrap(new byte[] {(byte) key});
  }
}
