package io.quorate.torture.checker;

import io.quorate.torture.history.Operation;
import java.util.List;

/** The result of the check of a history. */
public sealed interface Verdict {

  /**
   * The kinds of verdicts, one for each record. A switch expression over them compiles only if it
   * covers every verdict.
   */
  enum Kind {
    LINEARIZABLE,
    VIOLATION,
    UNKNOWN
  }

  Kind kind();

  /** Whether the history was shown to be linearizable. */
  default boolean isPass() {
    return kind() == Kind.LINEARIZABLE;
  }

  /**
   * An order of the operations on some keys that explains all their results.
   *
   * @param order all operations that are known to have taken effect, and those of unknown outcome
   *     that are needed to explain their results
   */
  record Linearization(List<String> keys, List<Operation> order) {}

  /** There is an order for all keys. */
  record Linearizable(List<Linearization> orders) implements Verdict {
    public Linearizable {
      orders = List.copyOf(orders);
    }

    @Override
    public Kind kind() {
      return Kind.LINEARIZABLE;
    }

    @Override
    public String toString() {
      return "LINEARIZABLE";
    }
  }

  /**
   * There is no order for these keys.
   *
   * @param prefix the longest order that was found for a part of the operations
   * @param unplaceable the operations that cannot be placed: the candidates after the prefix, or a
   *     few that contradict each other
   * @param explanation a text of several lines
   */
  record Violation(
      List<String> keys, List<Operation> prefix, List<Operation> unplaceable, String explanation)
      implements Verdict {
    @Override
    public Kind kind() {
      return Kind.VIOLATION;
    }

    @Override
    public String toString() {
      return "VIOLATION: " + explanation;
    }
  }

  /** The search reached a limit. The history may or may not be linearizable; this is no pass. */
  record Unknown(List<String> keys, String reason) implements Verdict {
    @Override
    public Kind kind() {
      return Kind.UNKNOWN;
    }

    @Override
    public String toString() {
      return "UNKNOWN: " + reason;
    }
  }
}
