package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Fills the disk of one leader so far that it refuses writes: it has to hand over all that it leads
 * to nodes that accept them.
 */
final class FullDiskOfLeader implements Nemesis {
  /** Below {@code storage.free-space-min}; enough for writes that were accepted before. */
  private static final long LEAVE_BYTES = 100L << 20;

  @Override
  public String name() {
    return "disk-full-of-leader";
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
    List<NodeProcess> target = Targets.LEADER.choose(arena, random);
    if (target.isEmpty() || arena.disk(target.get(0)).isStalling()) {
      return Optional.empty();
    }
    Path filler = arena.disk(target.get(0)).fill(LEAVE_BYTES);
    return Optional.of(
        new Fault(
            "filled the disk of " + Targets.names(target), () -> Files.deleteIfExists(filler)));
  }
}
