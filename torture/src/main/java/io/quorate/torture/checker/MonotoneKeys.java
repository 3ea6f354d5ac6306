package io.quorate.torture.checker;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * Keys whose value only grows: numbers that are only added to, and texts that are only appended to.
 * Such a key must not have grown beyond the value that the next required call observes.
 */
final class MonotoneKeys {
  private enum Growth {
    NUMBER,
    TEXT,
    NONE
  }

  private final Problem problem;
  private final Pending pending;
  private final Growth[] growth;

  /**
   * By key: the required calls that observe a certain value, in the order in which they must be
   * placed.
   */
  private final int[][] observers;

  /** By key and call: the index of the call among the observers. */
  private final int[][] ranks;

  /** By key: a rank below which all observers have been placed. */
  private final int[] first;

  MonotoneKeys(Problem problem, Pending pending) {
    this.problem = problem;
    this.pending = pending;
    int keys = problem.keys().size();
    growth = new Growth[keys];
    observers = new int[keys][];
    ranks = new int[keys][];
    first = new int[keys];
    for (int key = 0; key < keys; key++) {
      growth[key] = growth(key);
      observers[key] = growth[key] == Growth.NONE ? new int[0] : observers(key);
      ranks[key] = ranks(observers[key]);
    }
  }

  void takeBack(int call) {
    for (int key = 0; key < first.length; key++) {
      if (observers[key].length > 0) {
        first[key] = Math.min(first[key], ranks[key][call]);
      }
    }
  }

  /** Whether the key has grown beyond the value that the next required call observes. */
  boolean isTooLarge(int key, int value) {
    Optional<Access> next = nextObserver(key);
    if (next.isEmpty()) {
      return false;
    }
    if (growth[key] == Growth.NUMBER) {
      return problem.values().number(value).getAsLong() > size(next.get());
    }
    return !text(observedValue(next.get())).startsWith(text(value));
  }

  /** Whether the key only grows and no remaining required call observes it. */
  boolean isUnobservable(int key) {
    return growth[key] != Growth.NONE && nextObserver(key).isEmpty();
  }

  private Optional<Access> nextObserver(int key) {
    int[] all = observers[key];
    while (first[key] < all.length && pending.isPlaced(all[first[key]])) {
      first[key]++;
    }
    return first[key] == all.length ? Optional.empty() : access(all[first[key]], key);
  }

  private Optional<Access> access(int call, int key) {
    return problem.calls().get(call).accesses().stream()
        .filter(access -> access.key() == key)
        .findFirst();
  }

  private Growth growth(int key) {
    List<Access> accesses =
        problem.calls().stream()
            .flatMap(call -> call.accesses().stream())
            .filter(access -> access.key() == key)
            .toList();
    if (problem.plain()[key]) {
      return Growth.NONE;
    } else if (accesses.stream().allMatch(this::onlyAdds)) {
      return Growth.NUMBER;
    }
    return accesses.stream().allMatch(MonotoneKeys::onlyAppends) ? Growth.TEXT : Growth.NONE;
  }

  private boolean onlyAdds(Access access) {
    return switch (access.kind()) {
      case ADD -> ((Access.Add) access).delta() >= 0;
      case ADD_TO -> {
        Access.AddTo add = (Access.AddTo) access;
        yield add.delta() >= 0 && add.sum() >= add.delta();
      }
      case EXPECT ->
          expectsOne(access) && problem.values().number(observedValue(access)).isPresent();
      case WRITE, REPLACE, APPEND, REFUSED_ADD -> false;
    };
  }

  private static boolean onlyAppends(Access access) {
    return switch (access.kind()) {
      case APPEND -> true;
      case EXPECT -> expectsOne(access);
      case WRITE, REPLACE, ADD, ADD_TO, REFUSED_ADD -> false;
    };
  }

  private static boolean expectsOne(Access access) {
    return ((Access.Expect) access).expected().size() == 1;
  }

  private int[] observers(int key) {
    return IntStream.range(0, problem.calls().size())
        .filter(call -> problem.calls().get(call).isRequired())
        .filter(call -> access(call, key).filter(access -> !access.isTransformer()).isPresent())
        .boxed()
        .sorted(Comparator.comparingLong(call -> size(access(call, key).get())))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private int[] ranks(int[] observersOfKey) {
    int[] ranks = new int[problem.calls().size()];
    Arrays.fill(ranks, Integer.MAX_VALUE);
    for (int rank = 0; rank < observersOfKey.length; rank++) {
      ranks[observersOfKey[rank]] = rank;
    }
    return ranks;
  }

  /** The number, or the length of the text, before the call. */
  private long size(Access access) {
    if (access instanceof Access.AddTo add) {
      return add.sum() - add.delta();
    }
    OptionalLong number = problem.values().number(observedValue(access));
    int key = access.key();
    return growth[key] == Growth.NUMBER ? number.getAsLong() : text(observedValue(access)).length();
  }

  private static int observedValue(Access access) {
    return ((Access.Expect) access).expected().stream().findFirst().getAsInt();
  }

  private String text(int value) {
    return problem.values().text(value).orElse("");
  }
}
