package io.quorate.torture.fuzz;

/** What Jazzer calls: {@code fuzzerInitialize} once, then {@code fuzzerTestOneInput} for inputs. */
public final class Fuzzed {
  /** The system property with the name of the target. */
  static final String TARGET = "quorate.fuzz.target";

  private static Target target;

  private Fuzzed() {}

  /** Selects the target. */
  public static void fuzzerInitialize() {
    target = FuzzTargets.named(System.getProperty(TARGET)).orElseThrow();
  }

  /**
   * Checks an input.
   *
   * @throws Target.Violation if the decoder has broken a rule
   */
  public static void fuzzerTestOneInput(byte[] input) {
    target.check(input);
  }
}
