package io.quorate.torture.checker;

import io.quorate.torture.history.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The progress of a search: the placed calls in their order, and the values after them. */
final class Configuration {
  /** Stands for any value that no remaining call can observe. */
  private static final int ANY = -2;

  private final Problem problem;
  private final Pending pending;
  private final ValueConstraints constraints;
  private final MonotoneKeys monotone;
  private final int[] order;
  private int size;
  private int[] state;

  Configuration(Problem problem, Cells cells) {
    this.problem = problem;
    pending = new Pending(problem.calls());
    constraints = new ValueConstraints(problem, cells, pending);
    monotone = new MonotoneKeys(problem, pending);
    order = new int[problem.calls().size()];
    state = new int[problem.keys().size()];
    Arrays.fill(state, Values.ABSENT);
  }

  Pending pending() {
    return pending;
  }

  ValueConstraints constraints() {
    return constraints;
  }

  MonotoneKeys monotone() {
    return monotone;
  }

  /** The number of placed calls. */
  int size() {
    return size;
  }

  int value(int key) {
    return state[key];
  }

  int[] state() {
    return state.clone();
  }

  int[] order() {
    return Arrays.copyOf(order, size);
  }

  /** The operations of the placed calls, in their order. */
  List<Operation> operations() {
    return Arrays.stream(order, 0, size)
        .mapToObj(call -> problem.calls().get(call).operation())
        .toList();
  }

  /** Whether the call can observe the present values. */
  boolean accepts(int call) {
    for (Access access : problem.calls().get(call).accesses()) {
      if (access.after(state[access.key()], problem.values()) == Values.NONE) {
        return false;
      }
    }
    return true;
  }

  /**
   * Places a call that can observe the present values.
   *
   * @return false if it is certain that not all remaining required calls can be placed after it
   */
  boolean place(int call) {
    pending.place(call);
    constraints.place(call);
    order[size++] = call;
    boolean viable = true;
    for (Access access : problem.calls().get(call).accesses()) {
      int key = access.key();
      int before = state[key];
      state[key] = access.after(before, problem.values());
      viable =
          viable
              && (state[key] == before
                  || !constraints.isLost(key, before)
                      && !constraints.endsTooEarly(key, state[key])
                      && !monotone.isTooLarge(key, state[key]));
    }
    return viable;
  }

  /** Takes back calls until {@code sizeThen} are left, which had led to {@code stateThen}. */
  void takeBack(int sizeThen, int[] stateThen) {
    while (size > sizeThen) {
      int call = order[--size];
      pending.takeBack(call);
      constraints.takeBack(call);
      monotone.takeBack(call);
    }
    state = stateThen.clone();
  }

  /**
   * Identifies the configuration, except for the optional calls used: by the values, as far as a
   * remaining call can observe them, and by the required calls that can be next. The latter
   * determine the placed calls: all that were invoked until the deadline of the most urgent one,
   * except these.
   */
  int[] memoKey(long now) {
    int[] numbers = new int[16];
    int length = 0;
    for (int key = 0; key < state.length; key++) {
      boolean any = constraints.isUnobservable(key, state[key]) || monotone.isUnobservable(key);
      numbers = withCapacity(numbers, length);
      numbers[length++] = any ? ANY : state[key];
    }
    for (int call = pending.firstRequired(now);
        call != Pending.NONE;
        call = pending.nextRequired(call, now)) {
      numbers = withCapacity(numbers, length);
      numbers[length++] = call;
    }
    return Arrays.copyOf(numbers, length);
  }

  private static int[] withCapacity(int[] numbers, int length) {
    return length < numbers.length ? numbers : Arrays.copyOf(numbers, 2 * length);
  }

  /** The required calls that can be next as far as their times are concerned. */
  List<Integer> candidates() {
    List<Integer> calls = new ArrayList<>();
    int urgent = pending.mostUrgent();
    if (urgent != Pending.NONE) {
      long now = problem.calls().get(urgent).deadline();
      for (int call = pending.firstRequired(now);
          call != Pending.NONE;
          call = pending.nextRequired(call, now)) {
        calls.add(call);
      }
    }
    return calls;
  }
}
