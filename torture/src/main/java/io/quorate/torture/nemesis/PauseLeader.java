package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import java.io.IOException;
import java.util.Optional;
import java.util.Random;

/**
 * Pauses a leader's process (SIGSTOP) so that another node is elected, and resumes it; for a moment
 * it still acts as the leader.
 */
final class PauseLeader implements Nemesis {
  @Override
  public String name() {
    return "pause-leader";
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    Optional<NodeProcess> leader = arena.leaderOrAny(random);
    if (leader.isEmpty()) {
      return Optional.empty();
    }
    Pause pause = new Pause(leader.get());
    return Optional.of(new Fault("paused " + leader.get().plan().id(), pause::end));
  }
}
