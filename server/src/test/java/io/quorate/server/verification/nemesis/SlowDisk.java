package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.verification.disk.NodeDisk;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Lets writes to the disks of some nodes wait. The disks go on by themselves after a time, since
 * whatever waits for them cannot even be killed.
 */
final class SlowDisk implements Nemesis {
  private static final Duration AT_MOST = Duration.ofSeconds(9);
  private static final int STALL_MILLIS_MIN = 2_500;
  private static final int STALL_MILLIS_SPREAD = 5_500;
  private static final int PULSE_MILLIS_MIN = 150;
  private static final int PULSE_MILLIS_SPREAD = 250;
  private static final Duration BETWEEN_PULSES = Duration.ofMillis(50);

  private final Manner manner;

  /** For how long writes wait. */
  enum Manner {
    /** Once, for longer than it takes to elect another leader. */
    STALLED("stalled-disk"),
    /** Again and again, for a part of a second. */
    SLOW("slow-disk");

    private final String nemesis;

    Manner(String nemesis) {
      this.nemesis = nemesis;
    }
  }

  SlowDisk(Manner manner) {
    this.manner = manner;
  }

  @Override
  public String name() {
    return manner.nemesis;
  }

  @Override
  public Set<Need> needs() {
    return Set.of(Need.DISKS);
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random) throws IOException {
    List<NodeProcess> victims =
        switch (random.nextInt(4)) {
          case 0 -> Victims.ALL.choose(arena, random);
          case 1 -> Victims.MINORITY.choose(arena, random);
          default -> Victims.LEADER.choose(arena, random);
        };
    List<NodeProcess> free =
        victims.stream().filter(node -> !arena.disk(node).isStalling()).toList();
    if (free.isEmpty()) {
      return Optional.empty();
    }
    for (NodeProcess node : free) {
      begin(arena.disk(node), random);
    }
    return Optional.of(
        new Fault(
            (manner == Manner.STALLED ? "stalled" : "slowed down")
                + " the disks of "
                + Victims.names(free),
            () -> free.forEach(node -> arena.disk(node).thaw())));
  }

  private void begin(NodeDisk disk, Random random) throws IOException {
    if (manner == Manner.STALLED) {
      disk.stall(Duration.ofMillis(STALL_MILLIS_MIN + random.nextInt(STALL_MILLIS_SPREAD)));
    } else {
      Duration frozen = Duration.ofMillis(PULSE_MILLIS_MIN + random.nextInt(PULSE_MILLIS_SPREAD));
      disk.slowDown(frozen, BETWEEN_PULSES, AT_MOST);
    }
  }
}
