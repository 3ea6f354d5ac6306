package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.util.Optional;
import java.util.Random;

/**
 * Stops a leader's process (SIGSTOP) so that another one is elected, and lets it go on, believing
 * for a moment that it still leads.
 */
final class PauseLeader implements Nemesis {
  @Override
  public String name() {
    return "pause-leader";
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random)
      throws IOException, InterruptedException {
    Optional<NodeProcess> leader = arena.leaderOrAny(random);
    if (leader.isEmpty()) {
      return Optional.empty();
    }
    NodeProcess node = leader.get();
    Optional<ProcessHandle> paused = node.handle();
    node.pause();
    return Optional.of(
        new Fault(
            "paused " + node.plan().id(),
            () -> {
              // Another fault may have ended the process since, and started a new one.
              if (node.handle().isPresent() && node.handle().equals(paused)) {
                node.resume();
              }
            }));
  }
}
