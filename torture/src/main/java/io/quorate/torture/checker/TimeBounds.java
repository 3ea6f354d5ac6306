package io.quorate.torture.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Narrows the time in which each required call can have taken effect, by rules that hold in every
 * order that explains a problem:
 *
 * <ul>
 *   <li>A call that can only have observed the value of one other call comes after that call.
 *   <li>Of two calls that write the same plain key, one comes before the other, and so do all calls
 *       that can only have observed the value of the first.
 * </ul>
 *
 * <p>Where the times permit only one of two such orders, that order bounds the times of all calls
 * involved. The bounds are always valid, but not always the tightest: the search decides the rest,
 * with less work the narrower the times are.
 */
final class TimeBounds {
  /** Calls of which no order is possible within the remaining times. */
  record Contradiction(List<Call> calls) {}

  /**
   * A write, or {@link #INITIAL} for the initial value, and the calls that must have observed its
   * value.
   */
  private record Cluster(int key, int writer, int[] observers) {
    boolean isObservedBy(int call) {
      return Arrays.stream(observers).anyMatch(observer -> observer == call);
    }
  }

  private static final int INITIAL = -1;

  /** The bounds after this many rounds are valid too; a few rounds are usual. */
  private static final int ROUNDS_MAX = 200;

  private final Problem problem;
  private final Cells cells;
  private final long[] earliest;
  private final long[] latest;
  private final List<List<Cluster>> clusters = new ArrayList<>();
  private boolean changed;

  TimeBounds(Problem problem) {
    this.problem = problem;
    cells = new Cells(problem);
    earliest = problem.calls().stream().mapToLong(Call::invoked).toArray();
    latest = problem.calls().stream().mapToLong(Call::deadline).toArray();
    for (int key = 0; key < problem.keys().size(); key++) {
      clusters.add(problem.plain()[key] ? clusters(key) : List.of());
    }
  }

  /**
   * Narrows until nothing changes any more, a contradiction is found, or {@link #ROUNDS_MAX} is
   * reached.
   */
  Optional<Contradiction> narrow() {
    int rounds = 0;
    do {
      changed = false;
      rounds++;
      for (List<Cluster> ofKey : clusters) {
        Optional<Contradiction> contradiction = narrow(ofKey);
        if (contradiction.isPresent()) {
          return contradiction;
        }
      }
    } while (changed && rounds < ROUNDS_MAX);
    return Optional.empty();
  }

  /** The problem with the times found so far. */
  Problem narrowed() {
    List<Call> calls = new ArrayList<>();
    for (int call = 0; call < earliest.length; call++) {
      calls.add(problem.calls().get(call).within(earliest[call], latest[call]));
    }
    calls.sort(Comparator.comparingLong(Call::invoked));
    return problem.withCalls(calls);
  }

  private List<Cluster> clusters(int key) {
    List<Cluster> all = new ArrayList<>();
    int initial = cells.of(key, Values.ABSENT);
    if (cells.producers(initial).isEmpty()) {
      all.add(new Cluster(key, INITIAL, observers(initial)));
    }
    for (int call = 0; call < earliest.length; call++) {
      if (problem.calls().get(call).isRequired()) {
        for (Access access : problem.calls().get(call).accesses()) {
          int cell = cells.produced(access);
          if (access.key() == key && cell != Cells.NONE) {
            boolean only = !cells.isInitial(cell) && cells.producers(cell).size() == 1;
            all.add(new Cluster(key, call, only ? observers(cell) : new int[0]));
          }
        }
      }
    }
    return all;
  }

  private int[] observers(int cell) {
    return cells.soleObservers(cell).stream().mapToInt(Integer::intValue).toArray();
  }

  private Optional<Contradiction> narrow(List<Cluster> ofKey) {
    for (Cluster cluster : ofKey) {
      for (int observer : cluster.observers()) {
        if (cluster.writer() != INITIAL && !order(cluster.writer(), observer)) {
          return contradiction(cluster.writer(), observer);
        }
      }
    }
    List<Cluster> byStart = new ArrayList<>(ofKey);
    byStart.sort(Comparator.comparingLong(this::start));
    for (int i = 0; i < byStart.size(); i++) {
      long end = end(byStart.get(i));
      // A cluster that starts after this one ends comes after it, which narrows nothing.
      for (int j = i + 1; j < byStart.size() && start(byStart.get(j)) <= end; j++) {
        Optional<Contradiction> contradiction = narrow(byStart.get(i), byStart.get(j));
        if (contradiction.isPresent()) {
          return contradiction;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Contradiction> narrow(Cluster one, Cluster other) {
    int[] blockingOther = mustPrecede(one, other.writer());
    int[] blockingOne = mustPrecede(other, one.writer());
    boolean oneFirst = canPrecede(blockingOther, other) && !other.isObservedBy(one.writer());
    boolean otherFirst = canPrecede(blockingOne, one) && !one.isObservedBy(other.writer());
    if (oneFirst == otherFirst) {
      return oneFirst ? Optional.empty() : contradiction(one, other);
    }
    Cluster second = oneFirst ? other : one;
    for (int call : oneFirst ? blockingOther : blockingOne) {
      if (!order(call, second.writer())) {
        return contradiction(call, second.writer());
      }
    }
    return Optional.empty();
  }

  /** All calls of the cluster except this one. */
  private static int[] mustPrecede(Cluster cluster, int call) {
    int[] all = Arrays.copyOf(cluster.observers(), cluster.observers().length + 1);
    all[all.length - 1] = cluster.writer();
    return Arrays.stream(all).filter(member -> member != call && member != INITIAL).toArray();
  }

  private boolean canPrecede(int[] calls, Cluster cluster) {
    if (cluster.writer() == INITIAL) {
      return false;
    }
    for (int call : calls) {
      if (earliest[call] > latest[cluster.writer()]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Narrows the times of two calls that come in this order; returns whether the order is possible.
   */
  private boolean order(int first, int second) {
    if (latest[first] > latest[second]) {
      latest[first] = latest[second];
      changed = true;
    }
    if (earliest[second] < earliest[first]) {
      earliest[second] = earliest[first];
      changed = true;
    }
    return earliest[first] <= latest[first] && earliest[second] <= latest[second];
  }

  private long start(Cluster cluster) {
    return cluster.writer() == INITIAL ? Long.MIN_VALUE : earliest[cluster.writer()];
  }

  private long end(Cluster cluster) {
    long end = cluster.writer() == INITIAL ? Long.MIN_VALUE : latest[cluster.writer()];
    for (int observer : cluster.observers()) {
      end = Math.max(end, latest[observer]);
    }
    return end;
  }

  private Optional<Contradiction> contradiction(int first, int second) {
    return Optional.of(
        new Contradiction(List.of(problem.calls().get(first), problem.calls().get(second))));
  }

  /** The contradiction of two clusters: their writes, and the last observer of each. */
  private Optional<Contradiction> contradiction(Cluster one, Cluster other) {
    List<Call> calls = new ArrayList<>();
    for (Cluster cluster : List.of(one, other)) {
      if (cluster.writer() != INITIAL) {
        calls.add(problem.calls().get(cluster.writer()));
      }
      Arrays.stream(cluster.observers())
          .boxed()
          .max(Comparator.comparingLong(observer -> earliest[observer]))
          .map(observer -> problem.calls().get(observer))
          .filter(call -> !calls.contains(call))
          .ifPresent(calls::add);
    }
    return Optional.of(new Contradiction(calls));
  }
}
