package io.quorate.server.verification.checker;

import io.quorate.server.verification.history.History;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether a history is linearizable: whether there is an order of its operations, each at a
 * moment between its invocation and its completion, in which one client alone would have got the
 * same answers from a database that held nothing at first. Indeterminate operations take effect at
 * any moment after their invocation or never.
 *
 * <p>Runs on the caller's thread, as long as the limits allow. Holds no state between checks.
 */
public final class LinearizabilityChecker {
  private static final SearchLimits FOR_AN_EXPLANATION = new SearchLimits(100_000, 64L << 20);

  private final SearchLimits limits;

  public LinearizabilityChecker(SearchLimits limits) {
    this.limits = limits;
  }

  /**
   * Checks each key as a register of its own. Of a scan and of a batch only what concerns the key
   * counts, so that this finds no violation in that they are not atomic; for histories of any
   * number of keys.
   */
  public Verdict checkKeys(History history) {
    return check(Partition.byKey(history));
  }

  /**
   * Checks all keys that scans and batches connect as one object, scans and batches being atomic;
   * for histories of a few keys.
   */
  public Verdict checkAtomicity(History history) {
    return check(Partition.byConnection(history));
  }

  /** A violation if there is one in any group, otherwise unknown if that is the case for any. */
  private Verdict check(Collection<Partition.Group> groups) {
    List<Verdict.Explained> orders = new ArrayList<>();
    List<Verdict.Unknown> unknown = new ArrayList<>();
    for (Partition.Group group : groups) {
      Verdict verdict = check(group);
      if (verdict instanceof Verdict.Violation) {
        return verdict;
      } else if (verdict instanceof Verdict.Unknown gaveUp) {
        unknown.add(gaveUp);
      } else if (verdict instanceof Verdict.Linearizable linearizable) {
        orders.addAll(linearizable.orders());
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
        ? explained(problem, contradiction.get())
        : new Search(bounds.narrowed(), limits).run();
  }

  /** What is certain already, with what a short search tells about it. */
  private static Verdict explained(Problem problem, TimeBounds.Contradiction contradiction) {
    Search search = new Search(problem, FOR_AN_EXPLANATION);
    Verdict verdict = search.run();
    if (verdict.isPass()) {
      throw new IllegalStateException(
          "Keys " + problem.keys() + ": an order was found where none is possible");
    }
    String stuck = verdict instanceof Verdict.Violation violation ? violation.explanation() : "";
    return Explanation.ofContradiction(problem, search.farthest(), contradiction, stuck);
  }
}
