package io.quorate.torture.checker;

import io.quorate.torture.history.History;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether a history is linearizable: whether there is an order of its operations, each at a
 * time between its invocation and its completion, in which a single client would have got the same
 * results from a database that was empty at first. Indeterminate operations take effect at any time
 * after their invocation or never.
 *
 * <p>Runs on the caller's thread until the verdict or a limit is reached. Holds no state between
 * checks.
 */
public final class LinearizabilityChecker {
  private static final SearchLimits EXPLANATION_LIMITS = new SearchLimits(100_000, 64L << 20);

  private final SearchLimits limits;

  public LinearizabilityChecker(SearchLimits limits) {
    this.limits = limits;
  }

  /**
   * Checks each key as a register of its own. Only the part of a scan or batch on the key counts,
   * so violations of their atomicity are not found. For histories with any number of keys.
   */
  public Verdict checkKeys(History history) {
    return check(Partition.byKey(history));
  }

  /**
   * Checks all keys that scans and batches connect as one object, with atomic scans and batches.
   * For histories with a few keys.
   */
  public Verdict checkAtomicity(History history) {
    return check(Partition.byConnection(history));
  }

  /**
   * Returns a violation if a group has one, otherwise unknown if the search of a group reached a
   * limit.
   */
  private Verdict check(Collection<Partition.Group> groups) {
    List<Verdict.Linearization> orders = new ArrayList<>();
    List<Verdict.Unknown> unknown = new ArrayList<>();
    for (Partition.Group group : groups) {
      Verdict verdict = check(group);
      if (verdict.kind() == Verdict.Kind.VIOLATION) {
        return verdict;
      } else if (verdict.isPass()) {
        orders.addAll(((Verdict.Linearizable) verdict).orders());
      } else {
        unknown.add((Verdict.Unknown) verdict);
      }
    }
    if (unknown.isEmpty()) {
      return new Verdict.Linearizable(orders);
    }
    return new Verdict.Unknown(
        unknown.stream().flatMap(some -> some.keys().stream()).toList(),
        String.join(" ", unknown.stream().map(Verdict.Unknown::reason).toList()));
  }

  private Verdict check(Partition.Group group) {
    Problem problem = Simplification.of(ProblemCompiler.compile(group.keys(), group.operations()));
    TimeBounds bounds = new TimeBounds(problem);
    Optional<TimeBounds.Contradiction> contradiction = bounds.narrow();
    return contradiction.isPresent()
        ? violation(problem, contradiction.get())
        : new Search(bounds.narrowed(), limits).run();
  }

  /** Describes the contradiction, with the longest order that a short search finds. */
  private static Verdict violation(Problem problem, TimeBounds.Contradiction contradiction) {
    Search search = new Search(problem, EXPLANATION_LIMITS);
    Verdict verdict = search.run();
    if (verdict.isPass()) {
      throw new IllegalStateException(
          "Keys " + problem.keys() + ": an order was found where none is possible");
    }
    String stuck = verdict instanceof Verdict.Violation violation ? violation.explanation() : "";
    return Explanation.ofContradiction(problem, search.farthest(), contradiction, stuck);
  }
}
