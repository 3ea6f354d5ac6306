package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;

/**
 * A program that adds a million bodies to an index, removes every other one while its record is
 * still there, and gives the rest to a second region, as a split does. It prints the estimated
 * bytes of heap of the index, and how many bytes more are used than before.
 */
final class FullBodyIndex {
  static final int BODIES = 1_000_000;
  private static final int IN_A_SEGMENT = 4096;

  private FullBodyIndex() {}

  public static void main(String[] arguments) {
    long before = usedBytes();
    BodyIndex index = new BodyIndex();
    for (int i = 0; i < BODIES; i++) {
      Place place = new Place(i / IN_A_SEGMENT, (long) (i % IN_A_SEGMENT) << 14);
      RecordHeader header = new RecordHeader(RecordHeader.Kind.BODY, id(i), 1 << 14, i);
      index.put(id(i), new StoredBody(place, header));
    }
    System.out.println(index.heapBytes() + " " + (usedBytes() - before));
    for (int i = 1; i < BODIES; i += 2) {
      index.remove(id(i));
    }
    for (int i = 0; i < BODIES; i += 2) {
      index.put(id(i).in(new GroupId(2)), index.get(id(i)).orElseThrow().linked());
    }
    System.out.println(index.heapBytes() + " " + (usedBytes() - before));
    if (index.size() != BODIES) {
      throw new IllegalStateException("The index has " + index.size() + " bodies.");
    }
  }

  private static BodyId id(int i) {
    return new BodyId(new GroupId(1), 1 + i / (BODIES / 4), i);
  }

  private static long usedBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
