package io.quorate.server.verification.nemesis;

import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Sets the wall clocks of some nodes, while they run, minutes or hours ahead or back. */
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
  public Optional<Fault> strike(Arena arena, Random random) throws IOException {
    Victims kind = random.nextInt(3) == 0 ? Victims.ALL : Victims.LEADER;
    Map<NodeId, Duration> jumps = new LinkedHashMap<>();
    for (NodeProcess node : kind.choose(arena, random)) {
      Duration ahead = jump(random);
      arena.equipment().clocks().set(node.plan().id(), ahead);
      jumps.put(node.plan().id(), ahead);
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

  /** From a minute to days, either way. */
  private static Duration jump(Random random) {
    long seconds = (long) (SECONDS_MIN * Math.pow(2, DOUBLINGS_MAX * random.nextDouble()));
    return Duration.ofSeconds(random.nextBoolean() ? seconds : -seconds);
  }
}
