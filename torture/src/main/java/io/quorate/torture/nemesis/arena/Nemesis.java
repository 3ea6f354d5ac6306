package io.quorate.torture.nemesis.arena;

import java.io.IOException;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** A kind of fault. Stateless: {@link #inject} returns the state of an injected fault. */
public interface Nemesis {
  /** The name on the command line and in reports. */
  String name();

  /** The equipment with which the cluster must be started. */
  default Set<Need> needs() {
    return Set.of();
  }

  /** What is required of the cluster while this is the only fault. */
  default Expectation expectation() {
    return Expectation.SAFETY;
  }

  /** The reason why this fault cannot be injected here, as a clause; empty if it can. */
  default Optional<String> obstacle(Arena arena) {
    return arena.equipment().obstacle(needs());
  }

  /**
   * Injects the fault; may block for seconds. Called by one thread at a time, possibly while other
   * faults last.
   *
   * @return the injected fault; empty if there is no suitable target now
   * @throws IOException if the injection fails; the part of it that succeeded ends with the cluster
   */
  Optional<Fault> inject(Arena arena, Random random) throws IOException, InterruptedException;
}
