package io.quorate.server.verification.checker;

import io.quorate.server.verification.history.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How far a search has got: the calls that are placed, in their order, and the values they left.
 */
final class Configuration {
  /** Stands for any value that nobody can find any more. */
  private static final int ANY = -2;

  private final Problem problem;
  private final Pending pending;
  private final Outlook outlook;
  private final Monotone monotone;
  private final int[] order;
  private int size;
  private int[] state;

  Configuration(Problem problem, Cells cells) {
    this.problem = problem;
    pending = new Pending(problem.calls());
    outlook = new Outlook(problem, cells, pending);
    monotone = new Monotone(problem, pending);
    order = new int[problem.calls().size()];
    state = new int[problem.keys().size()];
    Arrays.fill(state, Values.ABSENT);
  }

  Pending pending() {
    return pending;
  }

  Outlook outlook() {
    return outlook;
  }

  Monotone monotone() {
    return monotone;
  }

  /** How many calls are placed. */
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

  /** Whether the call can meet the present values. */
  boolean accepts(int call) {
    for (Access access : problem.calls().get(call).accesses()) {
      if (access.after(state[access.key()], problem.values()) == Values.NONE) {
        return false;
      }
    }
    return true;
  }

  /**
   * Places a call that can meet the present values.
   *
   * @return whether, as far as can be told, all others can still be placed
   */
  boolean place(int call) {
    pending.place(call);
    outlook.place(call);
    order[size++] = call;
    boolean hopeful = true;
    for (Access access : problem.calls().get(call).accesses()) {
      int key = access.key();
      int before = state[key];
      state[key] = access.after(before, problem.values());
      hopeful =
          hopeful
              && (state[key] == before
                  || !outlook.isMissed(key, before)
                      && !outlook.isDoomed(key, state[key])
                      && !monotone.isOvergrown(key, state[key]));
    }
    return hopeful;
  }

  /** Takes calls back until only so many are left, which had led to this state. */
  void takeBack(int sizeThen, int[] stateThen) {
    while (size > sizeThen) {
      int call = order[--size];
      pending.takeBack(call);
      outlook.takeBack(call);
      monotone.takeBack(call);
    }
    state = stateThen.clone();
  }

  /**
   * What tells configurations apart, apart from the optional calls used: the values, as far as
   * anybody can find them, and the required calls that can be next. The latter say which calls are
   * placed: all that were invoked until the most urgent one must take effect, without these.
   */
  int[] place(long now) {
    int[] numbers = new int[16];
    int length = 0;
    for (int key = 0; key < state.length; key++) {
      boolean any = outlook.isUnobservable(key, state[key]) || monotone.isUnobservable(key);
      numbers = withRoom(numbers, length);
      numbers[length++] = any ? ANY : state[key];
    }
    for (int call = pending.firstRequired(now);
        call != Pending.NONE;
        call = pending.nextRequired(call, now)) {
      numbers = withRoom(numbers, length);
      numbers[length++] = call;
    }
    return Arrays.copyOf(numbers, length);
  }

  private static int[] withRoom(int[] numbers, int length) {
    return length < numbers.length ? numbers : Arrays.copyOf(numbers, 2 * length);
  }

  /** Required calls that can be next as far as time goes. */
  List<Integer> underWay() {
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
