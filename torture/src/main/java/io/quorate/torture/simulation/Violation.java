package io.quorate.torture.simulation;

import java.util.function.Supplier;

/** Reports that an invariant does not hold. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String rule;

  /**
   * @param rule the violated invariant, by its number in the table of docs/protocols.md; the name
   *     of a rule, such as O4; or "linearizability"
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
