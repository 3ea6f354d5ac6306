package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Expectation;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.testbed.disk.NodeDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * The disk of one node executes no writes, while its process continues: it receives, responds and
 * sends heartbeats. A leader has to hand over all that it leads to nodes with a healthy disk.
 */
final class SickDisk implements Nemesis {
  private static final Duration HUNG_MAX = Duration.ofSeconds(20);

  /** Below {@code storage.free-space-min}; enough for writes that were accepted before. */
  private static final long LEAVE_BYTES = 100L << 20;

  private final Mode mode;

  /** Why the disk executes none. */
  enum Mode {
    /** No fsync returns. */
    HUNG("hung-disk", Targets.LEADER_OR_ONE),
    /** So little space is left that the node refuses new writes. */
    FULL("disk-full-of-leader", Targets.LEADER);

    private final String nemesis;
    private final Targets targets;

    Mode(String nemesis, Targets targets) {
      this.nemesis = nemesis;
      this.targets = targets;
    }
  }

  SickDisk(Mode mode) {
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
  public Expectation expectation() {
    return Expectation.PROGRESS_FROM_ONSET;
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) throws IOException {
    Optional<NodeProcess> target = withHealthyDisk(arena, mode.targets, random);
    if (target.isEmpty()) {
      return Optional.empty();
    }
    String node = target.get().plan().id().value();
    NodeDisk disk = arena.disk(target.get());
    if (mode == Mode.HUNG) {
      disk.stall(HUNG_MAX);
      return Optional.of(new Fault("hung the disk of " + node, disk::thaw));
    }
    Path filler = disk.fill(LEAVE_BYTES);
    return Optional.of(new Fault("filled the disk of " + node, () -> Files.deleteIfExists(filler)));
  }

  /** The first target, if its disk executes writes. */
  static Optional<NodeProcess> withHealthyDisk(Arena arena, Targets targets, Random random) {
    return targets.choose(arena, random).stream()
        .findFirst()
        .filter(node -> !arena.disk(node).isStalling());
  }
}
