package io.quorate.torture.checker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Drops optional calls or makes them required before the search. Works on plain keys, of which it
 * is known which calls can observe which values. An order that explains the simplified calls
 * explains the original ones, and if the original ones have such an order, so have the simplified
 * ones:
 *
 * <ul>
 *   <li><b>An optional call none of whose values can be observed is dropped.</b> In an order that
 *       has it, the next call on each of its keys cannot observe its value, so it is a blind write,
 *       or there is none. Without the optional call that next call has another value before it,
 *       which makes no difference. The order without the optional call is as good.
 *   <li><b>An optional call becomes required, by the deadline of a required call that can only have
 *       observed its value, if no other call produces that value.</b> It must have taken effect,
 *       and before the call that observed it.
 * </ul>
 */
final class Simplification {
  private static final int NO_CALL = -1;

  private final Problem problem;
  private final Cells cells;
  private final boolean[] dropped;
  private final long[] deadlines;

  private Simplification(Problem problem) {
    this.problem = problem;
    cells = new Cells(problem);
    dropped = new boolean[problem.calls().size()];
    deadlines = problem.calls().stream().mapToLong(Call::deadline).toArray();
  }

  static Problem of(Problem problem) {
    Simplification simplification = new Simplification(problem);
    simplification.dropUnobserved();
    simplification.requireObserved();
    return simplification.result();
  }

  private Problem result() {
    List<Call> calls = new ArrayList<>();
    for (int call = 0; call < dropped.length; call++) {
      if (!dropped[call]) {
        Call kept = problem.calls().get(call);
        calls.add(kept.within(kept.invoked(), deadlines[call]));
      }
    }
    return problem.withCalls(calls);
  }

  private void dropUnobserved() {
    int[] observers = new int[cells.count()];
    for (int cell = 0; cell < observers.length; cell++) {
      observers[cell] = cells.observers(cell).size();
    }
    Deque<Integer> candidates = new ArrayDeque<>();
    for (int call = 0; call < dropped.length; call++) {
      candidates.add(call);
    }
    while (!candidates.isEmpty()) {
      int call = candidates.remove();
      if (!dropped[call] && !isRequired(call) && isUnobserved(call, observers)) {
        dropped[call] = true;
        for (Access access : problem.calls().get(call).accesses()) {
          for (int cell : cells.observed(access)) {
            observers[cell]--;
            // Producers of a value that only this call could observe may now be unobserved too.
            candidates.addAll(cells.producers(cell));
          }
        }
      }
    }
  }

  private boolean isUnobserved(int call, int[] observers) {
    for (Access access : problem.calls().get(call).accesses()) {
      int cell = cells.produced(access);
      boolean unobserved = cell != Cells.NONE && observers[cell] == 0;
      if (!unobserved && !access.isPure()) {
        return false;
      }
    }
    return true;
  }

  private void requireObserved() {
    Deque<Integer> required = new ArrayDeque<>();
    for (int call = 0; call < dropped.length; call++) {
      if (isRequired(call)) {
        required.add(call);
      }
    }
    while (!required.isEmpty()) {
      int observer = required.remove();
      for (Access access : problem.calls().get(observer).accesses()) {
        int[] observed = cells.observed(access);
        int producer = observed.length == 1 ? onlyProducer(observed[0]) : NO_CALL;
        if (producer != NO_CALL && !isRequired(producer)) {
          deadlines[producer] = deadlines[observer];
          required.add(producer);
        }
      }
    }
  }

  private int onlyProducer(int cell) {
    if (cells.isInitial(cell)) {
      return NO_CALL;
    }
    int only = NO_CALL;
    for (int producer : cells.producers(cell)) {
      if (!dropped[producer]) {
        if (only != NO_CALL) {
          return NO_CALL;
        }
        only = producer;
      }
    }
    return only;
  }

  private boolean isRequired(int call) {
    return deadlines[call] != Call.NEVER;
  }
}
