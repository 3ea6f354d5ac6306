package io.quorate.server.verification.checker;

import io.quorate.server.verification.history.Operation;
import java.util.List;

/** What is known about a history after it was checked. */
public sealed interface Verdict {

  /** Whether the history was shown to be linearizable. */
  default boolean isPass() {
    return this instanceof Linearizable;
  }

  /**
   * An order of some keys' operations that explains what all clients saw.
   *
   * @param order all operations that are known to have taken effect, and those of unknown outcome
   *     that are needed to explain them
   */
  record Explained(List<String> keys, List<Operation> order) {}

  /** There is an order for all keys. */
  record Linearizable(List<Explained> orders) implements Verdict {
    public Linearizable {
      orders = List.copyOf(orders);
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
   * @param unplaceable those that have no place: what could have been next after the prefix, or a
   *     few that stand for all
   * @param explanation text of several lines
   */
  record Violation(
      List<String> keys, List<Operation> prefix, List<Operation> unplaceable, String explanation)
      implements Verdict {
    @Override
    public String toString() {
      return "VIOLATION: " + explanation;
    }
  }

  /** The search reached a limit. It may be either; this is no pass. */
  record Unknown(List<String> keys, String reason) implements Verdict {
    @Override
    public String toString() {
      return "UNKNOWN: " + reason;
    }
  }
}
