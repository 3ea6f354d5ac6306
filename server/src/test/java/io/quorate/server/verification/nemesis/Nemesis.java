package io.quorate.server.verification.nemesis;

import java.io.IOException;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** A kind of fault. Holds no state: what was done is in what it answers. */
public interface Nemesis {
  /** For the command line and reports. */
  String name();

  /** What has to be there before the cluster is started. */
  default Set<Need> needs() {
    return Set.of();
  }

  /** What is judged while this is the only fault. */
  default Expectation expectation() {
    return Expectation.SAFETY;
  }

  /** Why this fault cannot be injected into this cluster here; empty if it can. */
  default Optional<String> obstacle(Arena arena) {
    return arena.equipment().obstacle(needs());
  }

  /**
   * Injects the fault; may block for seconds. Called by one thread at a time, perhaps while other
   * faults last.
   *
   * @return what was done; empty if there was nothing to do it to now
   * @throws IOException if it could not be done; what was done of it heals with the arena
   */
  Optional<Fault> strike(Arena arena, Random random) throws IOException, InterruptedException;
}
