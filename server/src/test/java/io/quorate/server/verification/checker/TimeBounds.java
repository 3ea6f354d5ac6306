package io.quorate.server.verification.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Narrows the time in which each required call can have taken effect, by what is true in every
 * order that explains a problem:
 *
 * <ul>
 *   <li>Who can only have found the value of one call comes after that call.
 *   <li>Of two calls that write the same plain key, one comes before the other; and if others can
 *       only have found what the first one left, they come before the second one, too.
 * </ul>
 *
 * Where times leave only one of two such orders, it follows for the times of all who take part. It
 * never errs, but it does not find everything: what is left is for the search, which has the less
 * to do the narrower the times are.
 */
final class TimeBounds {
  /** Calls of which no order is possible within the times that are left. */
  record Contradiction(List<Call> calls) {}

  /** A write, {@link #INITIAL} for what was there at first, and who must have found its value. */
  private record Cluster(int key, int writer, int[] finders) {
    boolean isFoundBy(int call) {
      return Arrays.stream(finders).anyMatch(finder -> finder == call);
    }
  }

  private static final int INITIAL = -1;

  /** What is known after so many rounds is true, too; a handful is usual. */
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

  /** Narrows until nothing changes any more, no order is possible, or it has taken long. */
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
      all.add(new Cluster(key, INITIAL, finders(initial)));
    }
    for (int call = 0; call < earliest.length; call++) {
      if (problem.calls().get(call).isRequired()) {
        for (Access access : problem.calls().get(call).accesses()) {
          int cell = cells.produced(access);
          if (access.key() == key && cell != Cells.NONE) {
            boolean only = !cells.isInitial(cell) && cells.producers(cell).size() == 1;
            all.add(new Cluster(key, call, only ? finders(cell) : new int[0]));
          }
        }
      }
    }
    return all;
  }

  private int[] finders(int cell) {
    return cells.soleObservers(cell).stream().mapToInt(Integer::intValue).toArray();
  }

  private Optional<Contradiction> narrow(List<Cluster> ofKey) {
    for (Cluster cluster : ofKey) {
      for (int finder : cluster.finders()) {
        if (cluster.writer() != INITIAL && !order(cluster.writer(), finder)) {
          return contradiction(cluster.writer(), finder);
        }
      }
    }
    List<Cluster> byStart = new ArrayList<>(ofKey);
    byStart.sort(Comparator.comparingLong(this::start));
    for (int i = 0; i < byStart.size(); i++) {
      long end = end(byStart.get(i));
      // Those that begin later come later, which is nothing new.
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
    boolean oneFirst = canPrecede(blockingOther, other) && !other.isFoundBy(one.writer());
    boolean otherFirst = canPrecede(blockingOne, one) && !one.isFoundBy(other.writer());
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

  /** All of the cluster, without the call itself. */
  private static int[] mustPrecede(Cluster cluster, int call) {
    int[] all = Arrays.copyOf(cluster.finders(), cluster.finders().length + 1);
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

  /** Notes that one call comes before another one; returns whether that is possible. */
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
    for (int finder : cluster.finders()) {
      end = Math.max(end, latest[finder]);
    }
    return end;
  }

  private Optional<Contradiction> contradiction(int first, int second) {
    return Optional.of(
        new Contradiction(List.of(problem.calls().get(first), problem.calls().get(second))));
  }

  /** Of both clusters the write, and who finds its value last. */
  private Optional<Contradiction> contradiction(Cluster one, Cluster other) {
    List<Call> calls = new ArrayList<>();
    for (Cluster cluster : List.of(one, other)) {
      if (cluster.writer() != INITIAL) {
        calls.add(problem.calls().get(cluster.writer()));
      }
      Arrays.stream(cluster.finders())
          .boxed()
          .max(Comparator.comparingLong(finder -> earliest[finder]))
          .map(finder -> problem.calls().get(finder))
          .filter(call -> !calls.contains(call))
          .ifPresent(calls::add);
    }
    return Optional.of(new Contradiction(calls));
  }
}
