package io.quorate.server.verification.nemesis;

import java.io.IOException;

/**
 * A fault that was injected and lasts until it is healed.
 *
 * @param description what was done to whom, for people
 */
public record Fault(String description, Healing healing) {
  /** Ends a fault. */
  @FunctionalInterface
  public interface Healing {
    void heal() throws IOException, InterruptedException;
  }

  /** A fault that is over as soon as it was injected. */
  static Fault ofAMoment(String description) {
    return new Fault(description, () -> {});
  }
}
