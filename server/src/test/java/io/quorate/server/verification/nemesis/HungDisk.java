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
 * Lets nothing be written to the disk of one node, a leader or another one, whose process goes on:
 * it receives, answers and sends heartbeats, and no fsync of it returns.
 */
final class HungDisk implements Nemesis {
  private static final Duration AT_MOST = Duration.ofSeconds(20);

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
  public Optional<Fault> strike(Arena arena, Random random) throws IOException {
    List<NodeProcess> victim = Victims.LEADER_OR_ONE.choose(arena, random);
    if (victim.isEmpty() || arena.disk(victim.get(0)).isStalling()) {
      return Optional.empty();
    }
    NodeDisk disk = arena.disk(victim.get(0));
    disk.stall(AT_MOST);
    return Optional.of(new Fault("hung the disk of " + Victims.names(victim), disk::thaw));
  }
}
