package io.quorate.torture.nemesis;

import java.io.IOException;

/**
 * An injected fault, which lasts until it is healed.
 *
 * @param description what was done to which nodes, for the log of faults
 */
public record Fault(String description, Healing healing) {
  /** Ends a fault. */
  @FunctionalInterface
  public interface Healing {
    void heal() throws IOException, InterruptedException;
  }

  /** A fault that is over when its injection ends. */
  static Fault instantaneous(String description) {
    return new Fault(description, () -> {});
  }
}
