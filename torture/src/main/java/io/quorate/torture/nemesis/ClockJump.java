package io.quorate.torture.nemesis;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Sets the wall clocks of running nodes, a leader or all, a minute to days ahead or back. */
final class ClockJump implements Nemesis {
  private static final int SECONDS_MIN = 60;
  private static final int DOUBLINGS_MAX = 12;

  @Override
  public String name() {
    return "clock-jump";
  }

  @Override
  public Set<Need> needs() {
    return Set.of(Need.CLOCKS);
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) throws IOException {
    Targets targets = random.nextInt(3) == 0 ? Targets.ALL : Targets.LEADER;
    Map<NodeId, Duration> jumps = new LinkedHashMap<>();
    for (NodeProcess node : targets.choose(arena, random)) {
      Duration offset = jump(random);
      arena.equipment().clocks().set(node.plan().id(), offset);
      jumps.put(node.plan().id(), offset);
    }
    if (jumps.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Fault(
            "set clocks: " + jumps,
            () -> {
              for (NodeId node : jumps.keySet()) {
                arena.equipment().clocks().set(node, Duration.ZERO);
              }
            }));
  }

  /** Returns an offset of a minute to days, positive or negative. */
  private static Duration jump(Random random) {
    long seconds = (long) (SECONDS_MIN * Math.pow(2, DOUBLINGS_MAX * random.nextDouble()));
    return Duration.ofSeconds(random.nextBoolean() ? seconds : -seconds);
  }
}
