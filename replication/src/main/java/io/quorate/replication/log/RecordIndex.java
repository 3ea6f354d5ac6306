package io.quorate.replication.log;

import io.quorate.replication.log.segment.RecordType;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * The live entries and events of a group, in the order in which they were appended first, in
 * columns. A <em>slot</em> is the number of a row; it changes when rows are removed. Not
 * thread-safe.
 */
final class RecordIndex {
  private static final int ROWS_MIN = 8;

  /** The segment of a record that has no place yet. */
  static final int NO_SEGMENT = 0;

  /** The length of a record whose bytes are damaged. */
  static final int LOST = -1;

  private long[] orders = new long[0];
  private long[] epochs = new long[0];
  private long[] indexes = new long[0];
  private byte[] types = new byte[0];
  private int[] segments = new int[0];
  private int[] offsets = new int[0];
  private int[] lengths = new int[0];
  private QueuedRecord[] records = new QueuedRecord[0];
  private int head;
  private int size;

  int size() {
    return size;
  }

  /** Adds a row at the end. */
  void add(long order, long epoch, long index, int type, int length, QueuedRecord inMemory) {
    if (head + size == orders.length) {
      resize();
    }
    int row = head + size;
    orders[row] = order;
    epochs[row] = epoch;
    indexes[row] = index;
    types[row] = (byte) type;
    segments[row] = NO_SEGMENT;
    offsets[row] = 0;
    lengths[row] = length;
    records[row] = inMemory;
    size++;
  }

  /** Moves the rows to the beginning of arrays in which they take about half. */
  private void resize() {
    int capacity = Math.max(ROWS_MIN, size < orders.length / 2 ? size * 2 : size + size / 2 + 1);
    int from = head;
    int to = head + size;
    head = 0;
    orders = Arrays.copyOf(Arrays.copyOfRange(orders, from, to), capacity);
    epochs = Arrays.copyOf(Arrays.copyOfRange(epochs, from, to), capacity);
    indexes = Arrays.copyOf(Arrays.copyOfRange(indexes, from, to), capacity);
    types = Arrays.copyOf(Arrays.copyOfRange(types, from, to), capacity);
    segments = Arrays.copyOf(Arrays.copyOfRange(segments, from, to), capacity);
    offsets = Arrays.copyOf(Arrays.copyOfRange(offsets, from, to), capacity);
    lengths = Arrays.copyOf(Arrays.copyOfRange(lengths, from, to), capacity);
    records = Arrays.copyOf(Arrays.copyOfRange(records, from, to), capacity);
  }

  long order(int slot) {
    return orders[head + slot];
  }

  long epoch(int slot) {
    return epochs[head + slot];
  }

  long index(int slot) {
    return indexes[head + slot];
  }

  /** The type; whether the record at the place is a rewritten one is part of it. */
  int type(int slot) {
    return types[head + slot] & 0xff;
  }

  int segment(int slot) {
    return segments[head + slot];
  }

  int offset(int slot) {
    return offsets[head + slot];
  }

  /** The length of the bytes of the engine. */
  int length(int slot) {
    return lengths[head + slot];
  }

  /** The record, if its bytes are in memory; otherwise null. */
  QueuedRecord inMemory(int slot) {
    return records[head + slot];
  }

  void forget(int slot) {
    records[head + slot] = null;
  }

  /** Sets the place of a record. */
  void place(int slot, int segment, int offset, int type) {
    segments[head + slot] = segment;
    offsets[head + slot] = offset;
    types[head + slot] = (byte) type;
  }

  /** The slot with an order; negative if there is none. */
  int slotOfOrder(long order) {
    if (size == 0) {
      return -1;
    }
    // Most groups have every order from the first on.
    long guess = order - orders[head];
    if (guess >= 0 && guess < size && orders[head + (int) guess] == order) {
      return (int) guess;
    }
    int found = Arrays.binarySearch(orders, head, head + size, order);
    return found < 0 ? -1 : found - head;
  }

  /** The last slot with an order up to this one; negative if there is none. */
  int lastSlotUpTo(long order) {
    int found = Arrays.binarySearch(orders, head, head + size, order);
    return (found < 0 ? -found - 2 : found) - head;
  }

  /** The slot of an entry, in a group that has entries only; negative if there is none. */
  int slotOfEntry(long index) {
    if (size == 0) {
      return -1;
    }
    long slot = index - indexes[head];
    return slot >= 0 && slot < size && indexes[head + (int) slot] == index ? (int) slot : -1;
  }

  /** Removes the rows from a slot on. */
  void removeFrom(int slot) {
    Arrays.fill(records, head + slot, head + size, null);
    size = slot;
  }

  /** Removes the rows before a slot. */
  void removeBefore(int slot) {
    Arrays.fill(records, head, head + slot, null);
    head += slot;
    size -= slot;
    if (size < orders.length / 8 && orders.length > ROWS_MIN) {
      resize();
    }
  }

  /** Removes the rows whose indexes are below a mark. The caller has looked at them. */
  void removeBelow(long mark) {
    int first = 0;
    while (first < size && index(first) < mark) {
      first++;
    }
    removeBefore(first);
    retain(slot -> index(slot) >= mark);
  }

  /** Removes the entries from an index on, wherever they are. */
  void removeEntries(long from) {
    retain(slot -> index(slot) < from || RecordType.original(type(slot)) != RecordType.ENTRY);
  }

  private void retain(IntPredicate kept) {
    int count = 0;
    for (int slot = 0; slot < size; slot++) {
      if (kept.test(slot)) {
        if (count < slot) {
          move(head + slot, head + count);
        }
        count++;
      }
    }
    removeFrom(count);
  }

  /** The slots in the order of the records; of several of one order, the last one only. */
  int[] sorted() {
    int[] slots = new int[size];
    boolean isSorted = true;
    for (int slot = 0; slot < size; slot++) {
      slots[slot] = slot;
      isSorted &= slot == 0 || order(slot - 1) < order(slot);
    }
    if (isSorted) {
      return slots;
    }
    int[] merged = mergeSorted(slots);
    int count = 0;
    for (int slot : merged) {
      if (count > 0 && order(merged[count - 1]) == order(slot)) {
        count--;
      }
      merged[count++] = slot;
    }
    return Arrays.copyOf(merged, count);
  }

  /** Bottom up, stable, without objects: there may be millions of rows. */
  private int[] mergeSorted(int[] slots) {
    int[] from = slots;
    int[] to = new int[size];
    for (int width = 1; width < size; width *= 2) {
      for (int start = 0; start < size; start += 2 * width) {
        merge(from, to, start, Math.min(start + width, size), Math.min(start + 2 * width, size));
      }
      int[] merged = to;
      to = from;
      from = merged;
    }
    return from;
  }

  private void merge(int[] from, int[] to, int start, int middle, int end) {
    int left = start;
    int right = middle;
    for (int at = start; at < end; at++) {
      boolean isLeft = right >= end || left < middle && order(from[left]) <= order(from[right]);
      to[at] = isLeft ? from[left++] : from[right++];
    }
  }

  private void move(int from, int to) {
    orders[to] = orders[from];
    epochs[to] = epochs[from];
    indexes[to] = indexes[from];
    types[to] = types[from];
    segments[to] = segments[from];
    offsets[to] = offsets[from];
    lengths[to] = lengths[from];
    records[to] = records[from];
  }
}
