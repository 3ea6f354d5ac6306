package io.quorate.server.verification.checker;

import io.quorate.server.verification.history.Operation;
import java.util.List;

/**
 * An operation as the search sees it.
 *
 * @param accesses at most one for each key; two calls with equal ones are interchangeable
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

  Call within(long invokedThen, long deadlineThen) {
    return new Call(operation, accesses, invokedThen, deadlineThen);
  }
}
