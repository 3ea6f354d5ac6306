package io.quorate.torture.nemesis.arena;

import java.io.IOException;

/**
 * An injected fault, which lasts until it is healed.
 *
 * @param description what was done to which nodes, for the log of faults
 * @param needsMajority whether the healing requires that regions serve, and so that no other fault
 *     lasts
 */
public record Fault(String description, Healing healing, boolean needsMajority) {
  /** Ends a fault. */
  @FunctionalInterface
  public interface Healing {
    void heal() throws IOException, InterruptedException;
  }

  /** A fault whose healing requires nothing of the cluster. */
  public Fault(String description, Healing healing) {
    this(description, healing, false);
  }

  /** A fault that is over when its injection ends. */
  public static Fault instantaneous(String description) {
    return new Fault(description, () -> {});
  }
}
