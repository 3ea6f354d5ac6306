package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/**
 * A sorted map from ids of bodies to a few integers for each, in little heap: the rows of up to 64
 * bodies of a group and an epoch are in one array. An array does not change; another one takes its
 * place. So readers need no lock: a lookup sees the rows as of one time during it. Any thread.
 */
final class BodyTable {
  /** Maximum rows of a leaf. Each change of a row copies its leaf. */
  static final int LEAF_ROWS_MAX = 64;

  private static final int PAGE_BODIES = 1024;

  /** Neighbours are joined after a removal if they have no more rows than this together. */
  private static final int JOINED_ROWS_MAX = LEAF_ROWS_MAX / 2;

  /**
   * The heap that a leaf takes beside its rows: its entry in the map, its key and the header of the
   * array, in a JVM with compressed references.
   */
  private static final int LEAF_BYTES = 104;

  /**
   * The rows of leaves, each a number and the integers of that body, in the order of the numbers. A
   * key is the least id that the leaf may have. No leaf is empty.
   */
  private final NavigableMap<BodyId, long[]> leaves =
      new ConcurrentSkipListMap<>(BodyTable::compare);

  /** The length of a row. */
  private final int width;

  /** Written under the monitor, as {@link #leaves} is, and {@link #leafCount}. */
  private volatile int size;

  private volatile int leafCount;

  /**
   * @param values the number of integers for each body
   */
  BodyTable(int values) {
    this.width = 1 + values;
  }

  private static int compare(BodyId one, BodyId other) {
    int byGroup = one.group().compareTo(other.group());
    if (byGroup != 0) {
      return byGroup;
    }
    int byEpoch = Long.compare(one.epoch(), other.epoch());
    return byEpoch != 0 ? byEpoch : Long.compare(one.number(), other.number());
  }

  /** The number of bodies. */
  int size() {
    return size;
  }

  /** The bytes of heap that the rows take, as estimated. */
  long heapBytes() {
    return (long) size * width * Long.BYTES + (long) leafCount * LEAF_BYTES;
  }

  boolean contains(BodyId body) {
    return get(body).isPresent();
  }

  /** The integers of a body. */
  Optional<long[]> get(BodyId body) {
    Map.Entry<BodyId, long[]> leaf = leafOf(body);
    while (true) {
      int at = leaf == null ? -1 : find(leaf.getValue(), body.number());
      if (at >= 0) {
        return Optional.of(values(leaf.getValue(), at));
      }
      Map.Entry<BodyId, long[]> present = leafOf(body);
      if (isSame(leaf, present)) {
        return Optional.empty();
      }
      // The leaf may have been divided after the map had found it, and before it had its rows.
      leaf = present;
    }
  }

  /** The leaf that may have a body; null if there is none. */
  private Map.Entry<BodyId, long[]> leafOf(BodyId body) {
    Map.Entry<BodyId, long[]> leaf = leaves.floorEntry(body);
    return leaf != null && areOfOneEpoch(leaf.getKey(), body) ? leaf : null;
  }

  private static boolean areOfOneEpoch(BodyId one, BodyId other) {
    return one.epoch() == other.epoch() && one.group().equals(other.group());
  }

  /** The row of a number; if there is none, -1 - the row before which it would be. */
  private int find(long[] rows, long number) {
    int low = 0;
    int high = rows.length / width - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long there = rows[middle * width];
      if (there == number) {
        return middle;
      }
      if (there < number) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1 - low;
  }

  private long[] values(long[] rows, int row) {
    return Arrays.copyOfRange(rows, row * width + 1, (row + 1) * width);
  }

  /** Adds or replaces a body; returns its former integers. */
  synchronized Optional<long[]> put(BodyId body, long... values) {
    Map.Entry<BodyId, long[]> leaf = leafOf(body);
    if (leaf == null) {
      // The first leaf of an epoch may have every number.
      addLeaf(
          new BodyId(body.group(), body.epoch(), Long.MIN_VALUE),
          inserted(new long[0], 0, body, values));
      size++;
      return Optional.empty();
    }
    long[] rows = leaf.getValue();
    int at = find(rows, body.number());
    if (at >= 0) {
      long[] changed = rows.clone();
      System.arraycopy(values, 0, changed, at * width + 1, values.length);
      leaves.put(leaf.getKey(), changed);
      return Optional.of(values(rows, at));
    }
    insert(leaf.getKey(), rows, -1 - at, body, values);
    size++;
    return Optional.empty();
  }

  private void insert(BodyId key, long[] rows, int at, BodyId body, long[] values) {
    int count = rows.length / width;
    if (count < LEAF_ROWS_MAX) {
      leaves.put(key, inserted(rows, at, body, values));
    } else if (at == count) {
      // Numbers mostly grow: the leaf stays full.
      addLeaf(body, inserted(new long[0], 0, body, values));
    } else {
      int middle = count / 2;
      long[] low = Arrays.copyOfRange(rows, 0, middle * width);
      long[] high = Arrays.copyOfRange(rows, middle * width, rows.length);
      BodyId highKey = new BodyId(body.group(), body.epoch(), high[0]);
      // In this order: until the second step, the rows are in both leaves.
      addLeaf(highKey, at > middle ? inserted(high, at - middle, body, values) : high);
      leaves.put(key, at > middle ? low : inserted(low, at, body, values));
    }
  }

  private void addLeaf(BodyId key, long[] rows) {
    leaves.put(key, rows);
    leafCount++;
  }

  private void removeLeaf(BodyId key) {
    leaves.remove(key);
    leafCount--;
  }

  private long[] inserted(long[] rows, int at, BodyId body, long[] values) {
    long[] all = new long[rows.length + width];
    int begin = at * width;
    System.arraycopy(rows, 0, all, 0, begin);
    all[begin] = body.number();
    System.arraycopy(values, 0, all, begin + 1, values.length);
    System.arraycopy(rows, begin, all, begin + width, rows.length - begin);
    return all;
  }

  /** Removes a body; returns its integers. */
  synchronized Optional<long[]> remove(BodyId body) {
    Map.Entry<BodyId, long[]> leaf = leafOf(body);
    int at = leaf == null ? -1 : find(leaf.getValue(), body.number());
    if (at < 0) {
      return Optional.empty();
    }
    long[] rows = leaf.getValue();
    long[] rest = new long[rows.length - width];
    System.arraycopy(rows, 0, rest, 0, at * width);
    System.arraycopy(rows, (at + 1) * width, rest, at * width, rest.length - at * width);
    if (rest.length == 0) {
      removeLeaf(leaf.getKey());
    } else {
      leaves.put(leaf.getKey(), rest);
      join(leaves.lowerEntry(leaf.getKey()), leaves.floorEntry(leaf.getKey()));
      Map.Entry<BodyId, long[]> joined = leafOf(body);
      join(joined, leaves.higherEntry(joined.getKey()));
    }
    size--;
    return Optional.of(values(rows, at));
  }

  /** Joins a leaf with the next one if both are small. */
  private void join(Map.Entry<BodyId, long[]> leaf, Map.Entry<BodyId, long[]> next) {
    if (leaf == null || next == null || !areOfOneEpoch(leaf.getKey(), next.getKey())) {
      return;
    }
    long[] low = leaf.getValue();
    long[] high = next.getValue();
    if (low.length + high.length <= JOINED_ROWS_MAX * width) {
      long[] both = Arrays.copyOf(low, low.length + high.length);
      System.arraycopy(high, 0, both, low.length, high.length);
      // In this order, as when a leaf is divided.
      leaves.put(leaf.getKey(), both);
      removeLeaf(next.getKey());
    }
  }

  /** The groups that have bodies, in order. Those of bodies that change meanwhile, or not. */
  List<GroupId> groups() {
    List<GroupId> groups = new ArrayList<>();
    Map.Entry<BodyId, long[]> leaf = leaves.firstEntry();
    while (leaf != null) {
      GroupId group = leaf.getKey().group();
      groups.add(group);
      leaf = leaves.higherEntry(new BodyId(group, Long.MAX_VALUE, Long.MAX_VALUE));
    }
    return groups;
  }

  /**
   * The first bodies of a group in the order of epochs and numbers. Has those that are there during
   * the whole call, and some or none of those that change meanwhile.
   */
  List<BodyId> first(GroupId group, int bodiesMax) {
    return after(new BodyId(group, Long.MIN_VALUE, Long.MIN_VALUE), bodiesMax);
  }

  /** As {@link #first}, of the bodies of the same group that follow one, which need not exist. */
  List<BodyId> after(BodyId body, int bodiesMax) {
    List<BodyId> found = new ArrayList<>();
    BodyId last = body;
    while (found.size() < bodiesMax) {
      Map.Entry<BodyId, long[]> leaf = leafAfter(last);
      if (leaf == null || !leaf.getKey().group().equals(body.group())) {
        break;
      }
      long[] rows = leaf.getValue();
      int at = areOfOneEpoch(leaf.getKey(), last) ? rowAfter(rows, last.number()) : 0;
      for (; at < rows.length / width && found.size() < bodiesMax; at++) {
        last = new BodyId(body.group(), leaf.getKey().epoch(), rows[at * width]);
        found.add(last);
      }
    }
    return found;
  }

  /** Visits the bodies in order, as {@link #first} has those of a group. */
  void visit(Consumer<BodyId> visitor) {
    groups().forEach(group -> visit(group, visitor));
  }

  /** Visits the bodies of a group. */
  void visit(GroupId group, Consumer<BodyId> visitor) {
    for (List<BodyId> page = first(group, PAGE_BODIES);
        !page.isEmpty();
        page = after(page.get(page.size() - 1), PAGE_BODIES)) {
      page.forEach(visitor);
    }
  }

  private int rowAfter(long[] rows, long number) {
    int at = find(rows, number);
    return at < 0 ? -1 - at : at + 1;
  }

  /** The leaf with the first body that follows an id; null if there is none. */
  private Map.Entry<BodyId, long[]> leafAfter(BodyId body) {
    Map.Entry<BodyId, long[]> before = leaves.floorEntry(body);
    while (true) {
      if (before != null
          && areOfOneEpoch(before.getKey(), body)
          && rowAfter(before.getValue(), body.number()) < before.getValue().length / width) {
        return before;
      }
      Map.Entry<BodyId, long[]> next = leaves.higherEntry(body);
      Map.Entry<BodyId, long[]> present = leaves.floorEntry(body);
      if (isSame(before, present)) {
        return next;
      }
      // The rows that follow may have been joined to it before the next leaf was looked up.
      before = present;
    }
  }

  private static boolean isSame(Map.Entry<BodyId, long[]> one, Map.Entry<BodyId, long[]> other) {
    return one == null || other == null ? one == other : one.getValue() == other.getValue();
  }
}
