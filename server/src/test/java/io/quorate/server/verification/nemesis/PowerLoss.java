package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Takes the power from nodes: their processes stop wherever they are, and what their disks had not
 * synced is gone. Healed by starting them.
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
  public Optional<Fault> strike(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> victims;
    if (hitsAll) {
      // Also those that another fault has ended: what they wrote may not be on their disks yet.
      victims = arena.cluster().nodes();
    } else {
      victims = (random.nextBoolean() ? Victims.ONE : Victims.MAJORITY).choose(arena, random);
    }
    if (victims.isEmpty()) {
      return Optional.empty();
    }
    for (NodeProcess node : victims) {
      // Stopped first: a process does not live to see that its disk has no power.
      stop(node);
      arena.disk(node).cutPower();
    }
    victims.forEach(NodeProcess::kill);
    for (NodeProcess node : victims) {
      arena.disk(node).restorePower();
    }
    return Optional.of(
        new Fault(
            "took the power from " + Victims.names(victims),
            () -> {
              for (NodeProcess node : victims) {
                node.start();
              }
            }));
  }

  private static void stop(NodeProcess node) throws IOException, InterruptedException {
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
