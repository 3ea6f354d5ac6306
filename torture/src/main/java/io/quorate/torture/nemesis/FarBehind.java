package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Expectation;
import io.quorate.torture.nemesis.arena.FailpointOrders;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.testbed.agent.FailpointOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Pauses a node until the others have truncated the entries that it lacks, and resumes it: it runs,
 * but does not contribute until it has caught up. In one mode it can catch up at once; in the other
 * it waits for a snapshot, which no node finishes before the fault is healed.
 */
final class FarBehind implements Nemesis {
  private static final long PAUSE_MILLIS = 4_000;

  private final Mode mode;

  enum Mode {
    AT_ONCE("far-behind"),
    SNAPSHOT_TAKES_LONG("long-snapshot");

    private final String nemesis;

    Mode(String nemesis) {
      this.nemesis = nemesis;
    }
  }

  FarBehind(Mode mode) {
    this.mode = mode;
  }

  @Override
  public String name() {
    return mode.nemesis;
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
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> target = Targets.ONE.choose(arena, random);
    if (target.isEmpty()) {
      return Optional.empty();
    }
    NodeProcess node = target.get(0);
    Pause pause = new Pause(node);
    List<NodeProcess> others = new ArrayList<>(arena.running());
    others.remove(node);
    if (mode == Mode.SNAPSHOT_TAKES_LONG) {
      for (NodeProcess other : others) {
        FailpointOrders.send(other.plan(), new FailpointOrder.StallAt("storage.export.tables"));
      }
    }
    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    pause.end();
    return Optional.of(
        new Fault(
            "paused " + node.plan().id() + " for " + PAUSE_MILLIS + " ms",
            () -> {
              for (NodeProcess other : others) {
                FailpointOrders.withdraw(other.plan());
              }
            }));
  }
}
