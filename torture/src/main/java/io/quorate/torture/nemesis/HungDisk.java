package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.disk.NodeDisk;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Blocks all writes to the disk of one node, a leader or another one, whose process continues: it
 * receives, responds and sends heartbeats, but none of its fsyncs returns.
 */
final class HungDisk implements Nemesis {
  private static final Duration DURATION_MAX = Duration.ofSeconds(20);

  @Override
  public String name() {
    return "hung-disk";
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
    List<NodeProcess> target = Targets.LEADER_OR_ONE.choose(arena, random);
    if (target.isEmpty() || arena.disk(target.get(0)).isStalling()) {
      return Optional.empty();
    }
    NodeDisk disk = arena.disk(target.get(0));
    disk.stall(DURATION_MAX);
    return Optional.of(new Fault("hung the disk of " + Targets.names(target), disk::thaw));
  }
}
