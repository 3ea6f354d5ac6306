package io.quorate.torture.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The calls that have not been placed yet. The call that was placed last is taken back first.
 *
 * <p>Calls with equal accesses form a kind. The optional calls of a kind are used in the order of
 * their invocation: they have no deadline, so an order that uses a later one can use the earlier
 * one instead.
 */
final class Pending {
  /** No call. */
  static final int NONE = -1;

  private final List<Call> calls;
  private final int[] kindOf;
  private final boolean[] placed;

  /**
   * A doubly linked list of the required calls in the order of invocation. Its head and end are the
   * index after the last call.
   */
  private final int[] next;

  private final int[] previous;

  private final int[] byDeadline;
  private final int[] deadlineRank;
  private int firstRank;

  /** By kind, its optional calls. */
  private final int[][] optional;

  private final int[] optionalUsed;
  private final int[] kindsWithOptional;

  Pending(List<Call> calls) {
    this.calls = calls;
    kindOf = new int[calls.size()];
    placed = new boolean[calls.size()];
    next = new int[calls.size() + 1];
    previous = new int[calls.size() + 1];
    deadlineRank = new int[calls.size()];
    Map<List<Access>, Integer> kinds = new HashMap<>();
    List<List<Integer>> optionalByKind = new ArrayList<>();
    int last = calls.size();
    for (int call = 0; call < calls.size(); call++) {
      kindOf[call] = kinds.computeIfAbsent(calls.get(call).accesses(), any -> kinds.size());
      if (kindOf[call] == optionalByKind.size()) {
        optionalByKind.add(new ArrayList<>());
      }
      if (isRequired(call)) {
        next[last] = call;
        previous[call] = last;
        last = call;
      } else {
        optionalByKind.get(kindOf[call]).add(call);
      }
    }
    next[last] = calls.size();
    previous[calls.size()] = last;
    byDeadline =
        IntStream.range(0, calls.size())
            .filter(this::isRequired)
            .boxed()
            .sorted(Comparator.comparingLong(this::deadline))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int rank = 0; rank < byDeadline.length; rank++) {
      deadlineRank[byDeadline[rank]] = rank;
    }
    optional =
        optionalByKind.stream()
            .map(members -> members.stream().mapToInt(Integer::intValue).toArray())
            .toArray(int[][]::new);
    optionalUsed = new int[optional.length];
    kindsWithOptional =
        IntStream.range(0, optional.length).filter(kind -> optional[kind].length > 0).toArray();
  }

  /** The required call with the earliest deadline; {@link #NONE} if all have been placed. */
  int mostUrgent() {
    while (firstRank < byDeadline.length && placed[byDeadline[firstRank]]) {
      firstRank++;
    }
    return firstRank == byDeadline.length ? NONE : byDeadline[firstRank];
  }

  /**
   * The first required call in the order of invocation that was invoked until {@code
   * invokedNanosMax}; {@link #NONE} if there is none.
   */
  int firstRequired(long invokedNanosMax) {
    return within(next[calls.size()], invokedNanosMax);
  }

  int nextRequired(int call, long invokedNanosMax) {
    return within(next[call], invokedNanosMax);
  }

  private int within(int call, long invokedNanosMax) {
    return call < calls.size() && calls.get(call).invoked() <= invokedNanosMax ? call : NONE;
  }

  /** The required call with the next deadline after this call; {@link #NONE} if there is none. */
  int nextByDeadline(int call) {
    for (int rank = deadlineRank[call] + 1; rank < byDeadline.length; rank++) {
      if (!placed[byDeadline[rank]]) {
        return byDeadline[rank];
      }
    }
    return NONE;
  }

  int kinds() {
    return optional.length;
  }

  int kind(int call) {
    return kindOf[call];
  }

  /** The kinds that had optional calls at the beginning. */
  int[] kindsWithOptional() {
    return kindsWithOptional;
  }

  /** The optional call of the kind that is used next; {@link #NONE} if all are used. */
  int nextOptional(int kind) {
    return optionalUsed[kind] == optional[kind].length ? NONE : optional[kind][optionalUsed[kind]];
  }

  /** The kinds of the used optional calls, each followed by their number. */
  int[] optionalUsed() {
    int[] used = new int[2 * kindsWithOptional.length];
    int size = 0;
    for (int kind : kindsWithOptional) {
      if (optionalUsed[kind] > 0) {
        used[size++] = kind;
        used[size++] = optionalUsed[kind];
      }
    }
    return Arrays.copyOf(used, size);
  }

  boolean isPlaced(int call) {
    return placed[call];
  }

  void place(int call) {
    placed[call] = true;
    if (isRequired(call)) {
      next[previous[call]] = next[call];
      previous[next[call]] = previous[call];
    } else {
      optionalUsed[kindOf[call]]++;
    }
  }

  void takeBack(int call) {
    placed[call] = false;
    if (isRequired(call)) {
      next[previous[call]] = call;
      previous[next[call]] = call;
      firstRank = Math.min(firstRank, deadlineRank[call]);
    } else {
      optionalUsed[kindOf[call]]--;
    }
  }

  private boolean isRequired(int call) {
    return calls.get(call).isRequired();
  }

  private long deadline(int call) {
    return calls.get(call).deadline();
  }
}
