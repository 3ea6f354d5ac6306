package io.quorate.torture.nemesis;

import io.quorate.torture.workload.Workloads;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Plans the split of a region at a key that is in use. The split may go on while the next faults
 * are injected, and the region stays divided.
 */
final class SplitRegion implements Nemesis {
  /** Every region costs each node threads and memory. */
  private static final int REGIONS_MAX = 24;

  private static final int ROWS_MAX = 200;

  @Override
  public String name() {
    return "split-region";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return arena.codesValues()
        ? Optional.of("regions with coded replication do not split")
        : Optional.empty();
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) throws IOException {
    List<String> prefixes = Workloads.prefixes(arena.round());
    String prefix = prefixes.get(random.nextInt(prefixes.size()));
    List<String> keys = arena.keys(prefix, random.nextBoolean(), ROWS_MAX);
    if (keys.isEmpty() || arena.regionCount() >= REGIONS_MAX) {
      return Optional.empty();
    }
    String at = Workloads.splitKey(keys.get(random.nextInt(keys.size())));
    return Optional.of(
        Fault.instantaneous("split of a region at %s: %s".formatted(at, arena.splitRegion(at))));
  }
}
