package io.quorate.server.verification.checker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Settles what can be settled about optional calls before the search. Works on plain keys, where it
 * is known which calls can find which values. An order that explains the simplified calls explains
 * the original ones, and if the original ones have one, so have these:
 *
 * <ul>
 *   <li><b>An optional call all of whose values nobody can find is dropped.</b> Take an order that
 *       has it. On each of its keys, the next call there does not find its value, so it overwrites
 *       without looking, or there is none. Without the call that next call meets another value and
 *       does not notice. The order is as good without it.
 *   <li><b>An optional call is required, by the deadline of a required call that can only have
 *       found its value, if nobody else leaves that value.</b> It must have taken effect, and
 *       before the one that found it.
 * </ul>
 */
final class Simplification {
  private static final int ANONYMOUS = -1;

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
            // Who left what only this call could have found may be superfluous now, too.
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
        int producer = observed.length == 1 ? onlyProducer(observed[0]) : ANONYMOUS;
        if (producer != ANONYMOUS && !isRequired(producer)) {
          deadlines[producer] = deadlines[observer];
          required.add(producer);
        }
      }
    }
  }

  private int onlyProducer(int cell) {
    if (cells.isInitial(cell)) {
      return ANONYMOUS;
    }
    int only = ANONYMOUS;
    for (int producer : cells.producers(cell)) {
      if (!dropped[producer]) {
        if (only != ANONYMOUS) {
          return ANONYMOUS;
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
