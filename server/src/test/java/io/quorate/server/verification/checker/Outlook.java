package io.quorate.server.verification.checker;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What the calls that are still to be placed want of the values of plain keys. Tells early that
 * nothing can come of the present state, by reasons that hold whatever the order of the rest:
 *
 * <ul>
 *   <li>a value is gone that somebody must still find and nobody will leave again;
 *   <li>a value must stay until somebody finds it who begins only after another call, which cannot
 *       meet it or would end it, must have taken effect.
 * </ul>
 */
final class Outlook {
  private final Problem problem;
  private final Cells cells;
  private final Pending pending;
  private final int[] producersLeft;
  private final int[] observersLeft;
  private final int[] soleObserversLeft;
  private final long[] lastSoleInvocation;

  /** By call: numbers of cells it leaves; that it can find; that it can only find. */
  private final int[][] produced;

  private final int[][] observed;
  private final int[][] onlyObserved;

  Outlook(Problem problem, Cells cells, Pending pending) {
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
      Call of = problem.calls().get(call);
      List<Access> plain =
          of.accesses().stream().filter(access -> problem.plain()[access.key()]).toList();
      produced[call] =
          plain.stream().mapToInt(cells::produced).filter(cell -> cell != Cells.NONE).toArray();
      observed[call] = plain.stream().map(cells::observed).flatMapToInt(Arrays::stream).toArray();
      onlyObserved[call] =
          plain.stream()
              .map(cells::observed)
              .filter(some -> some.length == 1 && of.isRequired())
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

  /** Cells that the call can find. */
  int[] observed(int call) {
    return observed[call];
  }

  /** Whether nobody can find this value any more, so that any other one would do as well. */
  boolean isUnobservable(int key, int value) {
    int cell = cells.of(key, value);
    return cell == Cells.NONE ? problem.plain()[key] : observersLeft[cell] == 0;
  }

  boolean isObservable(int cell) {
    return observersLeft[cell] > 0;
  }

  /** Whether the value, which the key no longer has, is missed. */
  boolean isMissed(int key, int value) {
    int cell = cells.of(key, value);
    return cell != Cells.NONE && soleObserversLeft[cell] > 0 && producersLeft[cell] == 0;
  }

  /** Whether the value, which the key has now, must go before all who must find it have begun. */
  boolean isDoomed(int key, int value) {
    return endOf(key, value).isPresent();
  }

  /** A call that must take effect before all who must find the value have begun, and ends it. */
  Optional<Integer> endOf(int key, int value) {
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
