package io.quorate.torture.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The calls that produce and observe each value of each key. A cell is a value of a plain key; keys
 * that are not plain have no cells.
 */
final class Cells {
  static final int NONE = -1;

  private static final int[] NO_CELLS = {};

  /**
   * A value of a key.
   *
   * @param initial whether the key has it before the first call
   * @param producers calls that set it, except those that replace it by itself
   * @param observers calls that can observe only this value, or only a few values including it
   * @param sole the observers that are required and can observe no other value
   */
  private record Cell(
      boolean initial, List<Integer> producers, List<Integer> observers, List<Integer> sole) {}

  private final Problem problem;
  private final int[][] cellOf;
  private final List<Cell> cells = new ArrayList<>();

  Cells(Problem problem) {
    this.problem = problem;
    cellOf = new int[problem.keys().size()][problem.values().size()];
    for (int key = 0; key < cellOf.length; key++) {
      Arrays.fill(cellOf[key], NONE);
      if (problem.plain()[key]) {
        addCell(key, Values.ABSENT, true);
      }
    }
    for (int call = 0; call < problem.calls().size(); call++) {
      for (Access access : problem.calls().get(call).accesses()) {
        if (problem.plain()[access.key()]) {
          add(call, access);
        }
      }
    }
  }

  int count() {
    return cells.size();
  }

  /** The cell of the value; {@link #NONE} if the key is not plain or no call accesses the value. */
  int of(int key, int value) {
    return value < cellOf[key].length ? cellOf[key][value] : NONE;
  }

  boolean isInitial(int cell) {
    return cells.get(cell).initial();
  }

  List<Integer> producers(int cell) {
    return cells.get(cell).producers();
  }

  List<Integer> observers(int cell) {
    return cells.get(cell).observers();
  }

  List<Integer> soleObservers(int cell) {
    return cells.get(cell).sole();
  }

  /** The cell that the access produces; {@link #NONE} if it leaves the value that it observed. */
  int produced(Access access) {
    int value = access.produced();
    return value == Values.NONE ? NONE : of(access.key(), value);
  }

  /**
   * The cells that the access can observe; none if it can observe any value, or its key is not
   * plain.
   */
  int[] observed(Access access) {
    if (!problem.plain()[access.key()]) {
      return NO_CELLS;
    }
    return expected(access).stream().map(value -> of(access.key(), value)).toArray();
  }

  /** Whether no call produces a value that the access can observe. */
  boolean isImpossible(Access access) {
    return problem.plain()[access.key()]
        && !access.isBlind()
        && Arrays.stream(observed(access))
            .noneMatch(cell -> isInitial(cell) || !producers(cell).isEmpty());
  }

  private static IntSet expected(Access access) {
    return switch (access.kind()) {
      case EXPECT -> ((Access.Expect) access).expected();
      case REPLACE -> ((Access.Replace) access).expected();
      case WRITE, APPEND, ADD, ADD_TO, REFUSED_ADD -> IntSet.of();
    };
  }

  private void add(int call, Access access) {
    IntSet expected = expected(access);
    expected.stream()
        .forEach(
            value -> {
              Cell cell = cells.get(addCell(access.key(), value, false));
              cell.observers().add(call);
              if (expected.size() == 1 && problem.calls().get(call).isRequired()) {
                cell.sole().add(call);
              }
            });
    if (access.produced() != Values.NONE) {
      cells.get(addCell(access.key(), access.produced(), false)).producers().add(call);
    }
  }

  private int addCell(int key, int value, boolean initial) {
    if (cellOf[key][value] == NONE) {
      cellOf[key][value] = cells.size();
      cells.add(new Cell(initial, new ArrayList<>(), new ArrayList<>(), new ArrayList<>()));
    }
    return cellOf[key][value];
  }
}
