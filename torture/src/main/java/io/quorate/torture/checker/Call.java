package io.quorate.torture.checker;

import io.quorate.torture.history.Operation;
import java.util.List;

/**
 * An operation in the form that the search uses.
 *
 * @param accesses at most one for each key; calls with equal accesses are interchangeable
 * @param invoked the call takes effect no earlier
 * @param deadline the call takes effect no later; {@link #NEVER} if it need not take effect
 */
record Call(Operation operation, List<Access> accesses, long invoked, long deadline) {
  static final long NEVER = Long.MAX_VALUE;

  Call {
    accesses = List.copyOf(accesses);
  }

  boolean isRequired() {
    return deadline != NEVER;
  }

  boolean isPure() {
    return accesses.stream().allMatch(Access::isPure);
  }

  Call within(long newInvoked, long newDeadline) {
    return new Call(operation, accesses, newInvoked, newDeadline);
  }
}
