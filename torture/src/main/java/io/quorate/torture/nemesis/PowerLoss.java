package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Cuts the power of nodes: their processes end wherever they are, and data that their disks had not
 * synced is lost. Healed by starting them.
 */
final class PowerLoss implements Nemesis {
  private final boolean hitsAll;

  /**
   * @param hitsAll whether all nodes lose power, at the same moment; otherwise one or a majority
   */
  PowerLoss(boolean hitsAll) {
    this.hitsAll = hitsAll;
  }

  @Override
  public String name() {
    return hitsAll ? "power-loss" : "power-loss-some";
  }

  @Override
  public Set<Need> needs() {
    return Set.of(Need.DISKS);
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> targets;
    if (hitsAll) {
      // Also those that another fault has ended: their writes may not be on their disks yet.
      targets = arena.cluster().nodes();
    } else {
      targets = (random.nextBoolean() ? Targets.ONE : Targets.MAJORITY).choose(arena, random);
    }
    if (targets.isEmpty()) {
      return Optional.empty();
    }
    for (NodeProcess node : targets) {
      // Paused first: a process must not observe that its disk has no power.
      pause(node);
      arena.disk(node).cutPower();
    }
    targets.forEach(NodeProcess::kill);
    for (NodeProcess node : targets) {
      arena.disk(node).restorePower();
    }
    return Optional.of(
        new Fault(
            "cut the power of " + Targets.names(targets),
            () -> {
              for (NodeProcess node : targets) {
                node.start();
              }
            }));
  }

  private static void pause(NodeProcess node) throws IOException, InterruptedException {
    try {
      if (node.isAlive()) {
        node.pause();
      }
    } catch (ClusterException e) {
      // It has ended in the meantime.
      return;
    }
  }
}
