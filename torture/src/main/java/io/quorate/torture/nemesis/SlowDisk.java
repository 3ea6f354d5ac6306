package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.testbed.disk.NodeDisk;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Delays writes to the disks of some nodes. The disks recover by themselves after a time, because a
 * process that waits for them cannot be killed.
 */
final class SlowDisk implements Nemesis {
  private static final Duration DURATION_MAX = Duration.ofSeconds(9);
  private static final int STALL_MILLIS_MIN = 2_500;
  private static final int STALL_MILLIS_SPREAD = 5_500;
  private static final int PULSE_MILLIS_MIN = 150;
  private static final int PULSE_MILLIS_SPREAD = 250;
  private static final Duration BETWEEN_PULSES = Duration.ofMillis(50);

  private final Mode mode;

  /** How long writes are delayed. */
  enum Mode {
    /** Once, for longer than a leader election takes. */
    STALLED("stalled-disk"),
    /** Repeatedly, for a fraction of a second. */
    SLOW("slow-disk");

    private final String nemesis;

    Mode(String nemesis) {
      this.nemesis = nemesis;
    }
  }

  SlowDisk(Mode mode) {
    this.mode = mode;
  }

  @Override
  public String name() {
    return mode.nemesis;
  }

  @Override
  public Set<Need> needs() {
    return Set.of(Need.DISKS);
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) throws IOException {
    List<NodeProcess> targets =
        switch (random.nextInt(4)) {
          case 0 -> Targets.ALL.choose(arena, random);
          case 1 -> Targets.MINORITY.choose(arena, random);
          default -> Targets.LEADER.choose(arena, random);
        };
    List<NodeProcess> free =
        targets.stream().filter(node -> !arena.disk(node).isStalling()).toList();
    if (free.isEmpty()) {
      return Optional.empty();
    }
    for (NodeProcess node : free) {
      begin(arena.disk(node), random);
    }
    return Optional.of(
        new Fault(
            (mode == Mode.STALLED ? "stalled" : "slowed down")
                + " the disks of "
                + Targets.names(free),
            () -> free.forEach(node -> arena.disk(node).thaw())));
  }

  private void begin(NodeDisk disk, Random random) throws IOException {
    if (mode == Mode.STALLED) {
      disk.stall(Duration.ofMillis(STALL_MILLIS_MIN + random.nextInt(STALL_MILLIS_SPREAD)));
    } else {
      Duration frozen = Duration.ofMillis(PULSE_MILLIS_MIN + random.nextInt(PULSE_MILLIS_SPREAD));
      disk.slowDown(frozen, BETWEEN_PULSES, DURATION_MAX);
    }
  }
}
