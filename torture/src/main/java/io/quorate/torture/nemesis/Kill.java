package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Kills processes, like {@code kill -9}; healed by starting them again. */
final class Kill implements Nemesis {
  private final String name;
  private final Targets targets;

  Kill(String name, Targets targets) {
    this.name = name;
    this.targets = targets;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) {
    List<NodeProcess> killed = targets.choose(arena, random);
    if (killed.isEmpty()) {
      return Optional.empty();
    }
    killed.forEach(NodeProcess::kill);
    return Optional.of(
        new Fault(
            "killed " + Targets.names(killed),
            () -> {
              for (NodeProcess node : killed) {
                node.start();
              }
            }));
  }
}
