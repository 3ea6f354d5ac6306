package io.quorate.storage.garbage;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReference;
import io.quorate.model.GroupId;
import io.quorate.storage.body.BodyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;

/**
 * Some settled bodies of a region, in order, and to which of them rows refer. Takes 16 bytes and a
 * bit for each. One thread.
 */
final class SettledBodies {
  private static final int PART_BODIES_MAX = 1024;

  private final GroupId group;
  private final int bodiesMax;
  private final BitSet referenced = new BitSet();
  private long[] epochs;
  private long[] numbers;
  private int count;

  private SettledBodies(GroupId group, int bodiesMax) {
    this.group = group;
    this.bodiesMax = bodiesMax;
    this.epochs = new long[Math.min(bodiesMax, PART_BODIES_MAX)];
    this.numbers = new long[epochs.length];
  }

  /** The first bodies of a group that a horizon settles: they precede all others. */
  static SettledBodies first(BodyStore bodies, GroupId group, BodyHorizon horizon, int bodiesMax) {
    SettledBodies settled = new SettledBodies(group, bodiesMax);
    settled.add(bodies, bodies.first(group, settled.partMax()), horizon);
    return settled;
  }

  /** Those that follow the last of these. */
  SettledBodies next(BodyStore bodies, BodyHorizon horizon) {
    SettledBodies next = new SettledBodies(group, bodiesMax);
    next.add(bodies, bodies.after(body(count - 1), next.partMax()), horizon);
    return next;
  }

  private int partMax() {
    return Math.min(PART_BODIES_MAX, bodiesMax - count);
  }

  private void add(BodyStore bodies, List<BodyId> first, BodyHorizon horizon) {
    for (List<BodyId> part = first;
        !part.isEmpty();
        part = bodies.after(body(count - 1), partMax())) {
      for (BodyId body : part) {
        if (!horizon.settles(body)) {
          return;
        }
        add(body);
      }
    }
  }

  private void add(BodyId body) {
    if (count == epochs.length) {
      int length = Math.min(bodiesMax, 2 * count);
      epochs = Arrays.copyOf(epochs, length);
      numbers = Arrays.copyOf(numbers, length);
    }
    epochs[count] = body.epoch();
    numbers[count] = body.number();
    count++;
  }

  private BodyId body(int at) {
    return new BodyId(group, epochs[at], numbers[at]);
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** A row refers to a body, which may be none of these. */
  void refer(BodyReference body) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int byEpoch = Long.compare(epochs[middle], body.epoch());
      int order = byEpoch != 0 ? byEpoch : Long.compare(numbers[middle], body.number());
      if (order == 0) {
        referenced.set(middle);
        return;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
  }

  /** The number of these to which no row refers. */
  int garbage() {
    return count - referenced.cardinality();
  }

  /** Passes on those to which no row refers, in lists of bounded length. */
  void visitGarbage(Consumer<List<BodyId>> visitor) {
    List<BodyId> part = new ArrayList<>();
    for (int at = referenced.nextClearBit(0); at < count; at = referenced.nextClearBit(at + 1)) {
      part.add(body(at));
      if (part.size() == PART_BODIES_MAX) {
        visitor.accept(List.copyOf(part));
        part.clear();
      }
    }
    if (!part.isEmpty()) {
      visitor.accept(part);
    }
  }
}
