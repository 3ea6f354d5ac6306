package io.quorate.torture.model;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A history written by hand. Operations have the ids 0, 1, 2 and so on. */
public final class Script {
  private final List<Operation> operations = new ArrayList<>();

  /** An operation that took effect between these times. */
  public Script ok(long invoked, long completed, Action action, Result result) {
    return add(invoked, completed, action, new Outcome.Ok(result));
  }

  /** A change that took effect and has no result. */
  public Script done(long invoked, long completed, Action action) {
    return ok(invoked, completed, action, Result.DONE);
  }

  public Script put(long invoked, long completed, String key, String value) {
    return done(invoked, completed, new Action.Put(key, value));
  }

  public Script get(long invoked, long completed, String key, String found) {
    return ok(invoked, completed, new Action.Get(key), new Result.Found(Optional.of(found)));
  }

  public Script getNothing(long invoked, long completed, String key) {
    return ok(invoked, completed, new Action.Get(key), new Result.Found(Optional.empty()));
  }

  public Script indeterminate(long invoked, long completed, Action action) {
    return add(invoked, completed, action, Outcome.INDETERMINATE);
  }

  public Script failed(long invoked, long completed, Action action) {
    return add(invoked, completed, action, Outcome.FAILED);
  }

  public History history() {
    return new History(operations);
  }

  private Script add(long invoked, long completed, Action action, Outcome outcome) {
    int number = operations.size();
    operations.add(new Operation(number, number, action, invoked, completed, outcome));
    return this;
  }
}
