package io.quorate.torture.simulation;

import io.quorate.torture.checker.LinearizabilityChecker;
import io.quorate.torture.checker.SearchLimits;
import io.quorate.torture.checker.Verdict;
import io.quorate.torture.history.Action;
import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The operations of all clients on one key, in virtual time. The value 0 is no value. */
final class RegisterHistory {
  private static final int CLIENT = 0;
  private static final int NONE = 0;

  private final String key;
  private final List<Operation> operations = new ArrayList<>();

  RegisterHistory(String key) {
    this.key = key;
  }

  /** Begins a write, which may take effect at any time from now on, and returns its number. */
  int beginWrite(int value, long now) {
    Action write =
        value == NONE ? new Action.Delete(key) : new Action.Put(key, Integer.toString(value));
    return add(write, now, now, Outcome.INDETERMINATE);
  }

  void endWrite(int call, long now) {
    Operation begun = operations.get(call);
    operations.set(
        call,
        new Operation(
            call, CLIENT, begun.action(), begun.invokedNanos(), now, new Outcome.Ok(Result.DONE)));
  }

  /** Adds a completed read. Reads that were abandoned are left out. */
  void read(int value, long began, long now) {
    Optional<String> found =
        value == NONE ? Optional.empty() : Optional.of(Integer.toString(value));
    add(new Action.Get(key), began, now, new Outcome.Ok(new Result.Found(found)));
  }

  private int add(Action action, long began, long ended, Outcome outcome) {
    int call = operations.size();
    operations.add(new Operation(call, CLIENT, action, began, ended, outcome));
    return call;
  }

  /** Throws a {@link Violation} unless an order of the operations explains the values read. */
  void check() {
    Verdict verdict =
        new LinearizabilityChecker(SearchLimits.DEFAULT).checkKeys(new History(operations));
    Violation.require(verdict.isPass(), "linearizability", verdict::toString);
  }
}
