package io.quorate.storage.split;

import java.util.function.Supplier;

/** A rule was broken in a model. */
public final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Violation(String what) {
    super(what);
  }

  /** Ends the run unless a rule holds. */
  public static void require(boolean holds, Supplier<String> rule) {
    if (!holds) {
      throw new Violation(rule.get());
    }
  }
}
