package io.quorate.torture.checker;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The constraints of the remaining calls on the values of plain keys. Detects early that the
 * present state leads to no order, for reasons that hold for every order of the remaining calls:
 *
 * <ul>
 *   <li>a required call must observe a value that is gone and that no remaining call produces;
 *   <li>a required call must observe the present value and is invoked only after the deadline of
 *       another call, which cannot observe the value or replaces it.
 * </ul>
 */
final class ValueConstraints {
  private final Problem problem;
  private final Cells cells;
  private final Pending pending;
  private final int[] producersLeft;
  private final int[] observersLeft;
  private final int[] soleObserversLeft;
  private final long[] lastSoleInvocation;

  /** By call: the cells that it produces. */
  private final int[][] produced;

  /** By call: the cells that it can observe. */
  private final int[][] observed;

  /** By required call: the cells of the keys of which it can observe one value only. */
  private final int[][] onlyObserved;

  ValueConstraints(Problem problem, Cells cells, Pending pending) {
    this.problem = problem;
    this.cells = cells;
    this.pending = pending;
    producersLeft = new int[cells.count()];
    observersLeft = new int[cells.count()];
    soleObserversLeft = new int[cells.count()];
    lastSoleInvocation = new long[cells.count()];
    for (int cell = 0; cell < cells.count(); cell++) {
      producersLeft[cell] = cells.producers(cell).size();
      observersLeft[cell] = cells.observers(cell).size();
      soleObserversLeft[cell] = cells.soleObservers(cell).size();
      lastSoleInvocation[cell] =
          cells.soleObservers(cell).stream()
              .mapToLong(call -> problem.calls().get(call).invoked())
              .max()
              .orElse(Long.MIN_VALUE);
    }
    int calls = problem.calls().size();
    produced = new int[calls][];
    observed = new int[calls][];
    onlyObserved = new int[calls][];
    for (int call = 0; call < calls; call++) {
      Call current = problem.calls().get(call);
      List<Access> plain =
          current.accesses().stream().filter(access -> problem.plain()[access.key()]).toList();
      produced[call] =
          plain.stream().mapToInt(cells::produced).filter(cell -> cell != Cells.NONE).toArray();
      observed[call] = plain.stream().map(cells::observed).flatMapToInt(Arrays::stream).toArray();
      onlyObserved[call] =
          plain.stream()
              .map(cells::observed)
              .filter(some -> some.length == 1 && current.isRequired())
              .mapToInt(some -> some[0])
              .toArray();
    }
  }

  void place(int call) {
    add(call, -1);
  }

  void takeBack(int call) {
    add(call, 1);
  }

  private void add(int call, int change) {
    for (int cell : produced[call]) {
      producersLeft[cell] += change;
    }
    for (int cell : observed[call]) {
      observersLeft[cell] += change;
    }
    for (int cell : onlyObserved[call]) {
      soleObserversLeft[cell] += change;
    }
  }

  /** The cells that the call can observe. */
  int[] observed(int call) {
    return observed[call];
  }

  /**
   * Whether no remaining call can observe this value, so that any other value is equivalent to it.
   */
  boolean isUnobservable(int key, int value) {
    int cell = cells.of(key, value);
    return cell == Cells.NONE ? problem.plain()[key] : observersLeft[cell] == 0;
  }

  boolean isObservable(int cell) {
    return observersLeft[cell] > 0;
  }

  /**
   * Whether a required call must observe the value, which the key no longer has, and no remaining
   * call produces it.
   */
  boolean isLost(int key, int value) {
    int cell = cells.of(key, value);
    return cell != Cells.NONE && soleObserversLeft[cell] > 0 && producersLeft[cell] == 0;
  }

  /**
   * Whether the value, which the key has now, must be replaced before all its required observers
   * are invoked.
   */
  boolean endsTooEarly(int key, int value) {
    return earlyEnd(key, value).isPresent();
  }

  /**
   * A call that must take effect before all required observers of the value are invoked, and that
   * ends it.
   */
  Optional<Integer> earlyEnd(int key, int value) {
    int cell = cells.of(key, value);
    if (cell == Cells.NONE || soleObserversLeft[cell] == 0 || producersLeft[cell] > 0) {
      return Optional.empty();
    }
    long lastInvocation = lastSoleInvocation[cell];
    int call = pending.mostUrgent();
    while (call != Pending.NONE && problem.calls().get(call).deadline() < lastInvocation) {
      if (ends(problem.calls().get(call), key, value)) {
        return Optional.of(call);
      }
      call = pending.nextByDeadline(call);
    }
    return Optional.empty();
  }

  /** Whether the key cannot have the value both before and after the call. */
  private boolean ends(Call call, int key, int value) {
    for (Access access : call.accesses()) {
      if (access.key() == key) {
        return access.after(value, problem.values()) != value;
      }
    }
    return false;
  }
}
