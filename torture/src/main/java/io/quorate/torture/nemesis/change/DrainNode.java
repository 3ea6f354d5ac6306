package io.quorate.torture.nemesis.change;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/**
 * Drains a node, so that its replicas move to the others while the next faults are injected. Healed
 * by letting it have replicas again, which move back later.
 */
public final class DrainNode implements Nemesis {
  @Override
  public String name() {
    return "drain-node";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return MoveReplica.obstacleOfMoves(arena);
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) {
    List<NodeProcess> nodes = Arena.shuffled(arena.cluster().nodes(), random);
    NodeProcess node = nodes.get(0);
    return Optional.of(
        new Fault(
            String.format(
                Locale.ROOT,
                "drained %s: %s",
                node.plan().id(),
                arena.operator().drain(node.plan().id())),
            () -> arena.operator().undrain(node.plan().id()),
            true));
  }
}
