package io.quorate.rabia.simulation;

import java.util.function.Supplier;

/** Something that must not happen has happened. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String rule;

  /**
   * @param rule which obligation, by its number in the protocol's description, section 8
   */
  Violation(String rule, String what) {
    super(rule + ": " + what);
    this.rule = rule;
  }

  String rule() {
    return rule;
  }

  static void require(boolean holds, String rule, Supplier<String> what) {
    if (!holds) {
      throw new Violation(rule, what.get());
    }
  }
}
