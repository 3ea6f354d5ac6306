package io.quorate.server.verification.model;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.History;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A history written by hand. Operations get the numbers 0, 1, 2 and so on. */
public final class Script {
  private final List<Operation> operations = new ArrayList<>();

  /** An operation that took effect between these times. */
  public Script ok(long invoked, long completed, Action action, Answer answer) {
    return add(invoked, completed, action, new Outcome.Ok(answer));
  }

  /** A change that took effect and has no answer. */
  public Script done(long invoked, long completed, Action action) {
    return ok(invoked, completed, action, Answer.DONE);
  }

  public Script put(long invoked, long completed, String key, String value) {
    return done(invoked, completed, new Action.Put(key, value));
  }

  public Script get(long invoked, long completed, String key, String found) {
    return ok(invoked, completed, new Action.Get(key), new Answer.Found(Optional.of(found)));
  }

  public Script getNothing(long invoked, long completed, String key) {
    return ok(invoked, completed, new Action.Get(key), new Answer.Found(Optional.empty()));
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
