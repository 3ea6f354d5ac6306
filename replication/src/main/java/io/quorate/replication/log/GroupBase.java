package io.quorate.replication.log;

import io.quorate.replication.log.segment.RecordType;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * What the next segment will state of a group: the effects of the records written so far. Of the
 * log's thread.
 */
final class GroupBase {
  private static final byte[][] NO_STATES = {};

  final int group;
  final int generation;
  private long sequence;
  private long lowWater;
  private long last;
  private long highest;
  private byte[][] states = NO_STATES;
  private Optional<String> damage = Optional.empty();

  GroupBase(int group, int generation) {
    this.group = group;
    this.generation = generation;
  }

  /** A group of which nothing can be said but that it is damaged. */
  static GroupBase damaged(int group, int generation, long sequence, String reason) {
    GroupBase base = new GroupBase(group, generation);
    base.sequence = sequence;
    base.damage = Optional.of(reason);
    return base;
  }

  /** The last record of the generation. */
  long sequence() {
    return sequence;
  }

  /** Entries and events below this index are dead. */
  long lowWater() {
    return lowWater;
  }

  /** The index of the last entry; one less than the low-water mark if there is none. */
  long last() {
    return last;
  }

  /** The highest index of any entry or event so far. */
  long highest() {
    return highest;
  }

  Optional<String> damage() {
    return damage;
  }

  /** The states by their keys; those that were never set are null or beyond the end. */
  byte[][] states() {
    return states;
  }

  /** Applies a record, in the order of the log. */
  void apply(int type, long number, long index, byte[] bytes) {
    sequence = number;
    if (type == RecordType.ENTRY) {
      last = index;
      highest = Math.max(highest, index);
    } else if (RecordType.isEvent(type)) {
      highest = Math.max(highest, index);
    } else if (RecordType.isState(type)) {
      set(RecordType.key(type), bytes);
    } else if (type == RecordType.TRUNCATED) {
      last = index - 1;
    } else if (type == RecordType.CREATED) {
      lowWater = index;
      last = index - 1;
      highest = index - 1;
    } else if (type == RecordType.LOW_WATER) {
      lowWater = Math.max(lowWater, index);
      last = Math.max(last, index - 1);
      highest = Math.max(highest, index - 1);
    } else if (type == RecordType.DAMAGED) {
      damage = Optional.of(new String(bytes, StandardCharsets.UTF_8));
    }
  }

  private void set(int key, byte[] bytes) {
    if (states.length <= key) {
      states = Arrays.copyOf(states, key + 1);
    }
    states[key] = bytes;
  }

  /** The payload of the record that states it. */
  byte[] encode() {
    if (damage.isPresent()) {
      return damage.get().getBytes(StandardCharsets.UTF_8);
    }
    int length = 3 * Long.BYTES;
    for (byte[] state : states) {
      length += state == null ? 0 : 1 + Integer.BYTES + state.length;
    }
    ByteBuffer to = ByteBuffer.allocate(length).putLong(lowWater).putLong(last).putLong(highest);
    for (int key = 0; key < states.length; key++) {
      if (states[key] != null) {
        to.put((byte) key).putInt(states[key].length).put(states[key]);
      }
    }
    return to.array();
  }

  /** The type of the record that states it. */
  int type() {
    return damage.isPresent() ? RecordType.DAMAGED : RecordType.BASE;
  }

  /** Reads what a segment states of a group: that it is damaged, if the payload is malformed. */
  static GroupBase decode(int group, int generation, long sequence, int type, byte[] payload) {
    GroupBase base = new GroupBase(group, generation);
    base.sequence = sequence;
    if (type == RecordType.DAMAGED) {
      base.damage = Optional.of(new String(payload, StandardCharsets.UTF_8));
      return base;
    }
    ByteBuffer from = ByteBuffer.wrap(payload);
    try {
      base.lowWater = from.getLong();
      base.last = from.getLong();
      base.highest = from.getLong();
      while (from.hasRemaining()) {
        base.readState(from);
      }
    } catch (BufferUnderflowException e) {
      base.damage = Optional.of("the base of a group is malformed");
    }
    return base;
  }

  private void readState(ByteBuffer from) {
    int key = from.get();
    int length = from.getInt();
    if (key < 0 || key >= RecordType.STATE_KEYS || length < 0 || length > from.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] state = new byte[length];
    from.get(state);
    set(key, state);
  }
}
