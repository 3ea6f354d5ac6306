package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.verification.agent.PointOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Stops a node for so long that the others have let go of what it lacks, and lets it go on: alive,
 * and of no use until it has caught up. In one manner that is at once; in the other one it waits
 * for a snapshot, which nobody finishes making before the fault is healed.
 */
final class FarBehind implements Nemesis {
  private static final long AWAY_MILLIS = 4_000;

  private final Manner manner;

  enum Manner {
    AT_ONCE("far-behind"),
    SNAPSHOT_TAKES_LONG("long-snapshot");

    private final String nemesis;

    Manner(String nemesis) {
      this.nemesis = nemesis;
    }
  }

  FarBehind(Manner manner) {
    this.manner = manner;
  }

  @Override
  public String name() {
    return manner.nemesis;
  }

  @Override
  public Set<Need> needs() {
    return Set.of(Need.SHORT_LOGS);
  }

  @Override
  public Expectation expectation() {
    return Expectation.PROGRESS_ONCE_ESTABLISHED;
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> victim = Victims.ONE.choose(arena, random);
    if (victim.isEmpty()) {
      return Optional.empty();
    }
    NodeProcess node = victim.get(0);
    Optional<ProcessHandle> paused = node.handle();
    node.pause();
    List<NodeProcess> others = new ArrayList<>(arena.running());
    others.remove(node);
    if (manner == Manner.SNAPSHOT_TAKES_LONG) {
      for (NodeProcess other : others) {
        PointOrders.send(other.plan(), new PointOrder.StallAt("storage.export.tables"));
      }
    }
    TimeUnit.MILLISECONDS.sleep(AWAY_MILLIS);
    // Another fault may have ended the process since, and started a new one.
    if (node.handle().isPresent() && node.handle().equals(paused)) {
      node.resume();
    }
    return Optional.of(
        new Fault(
            "left " + node.plan().id() + " behind",
            () -> {
              for (NodeProcess other : others) {
                PointOrders.withdraw(other.plan());
              }
            }));
  }
}
