package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Ends processes as {@code kill -9} does; healed by starting them again. */
final class Kill implements Nemesis {
  private final String name;
  private final Victims victims;

  Kill(String name, Victims victims) {
    this.name = name;
    this.victims = victims;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random) {
    List<NodeProcess> killed = victims.choose(arena, random);
    if (killed.isEmpty()) {
      return Optional.empty();
    }
    killed.forEach(NodeProcess::kill);
    return Optional.of(
        new Fault(
            "killed " + Victims.names(killed),
            () -> {
              for (NodeProcess node : killed) {
                node.start();
              }
            }));
  }
}
