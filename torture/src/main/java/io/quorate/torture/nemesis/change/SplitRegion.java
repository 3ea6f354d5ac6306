package io.quorate.torture.nemesis.change;

import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.workload.Workloads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/**
 * Plans the split of a region at a key that is in use. The split may go on while the next faults
 * are injected, and the region stays divided unless the two are merged again.
 */
public final class SplitRegion implements Nemesis {
  /** Every region costs each node threads and memory. */
  private static final int REGIONS_MAX = 24;

  private static final int ROWS_MAX = 200;

  @Override
  public String name() {
    return "split-region";
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) throws IOException {
    List<String> keys = keysInUse(arena, random);
    if (keys.isEmpty() || arena.placement().regions().size() >= REGIONS_MAX) {
      return Optional.empty();
    }
    String at = Workloads.splitKey(keys.get(random.nextInt(keys.size())));
    return Optional.of(
        Fault.instantaneous(
            String.format(
                Locale.ROOT, "split of a region at %s: %s", at, arena.operator().splitRegion(at))));
  }

  /** Some of the keys of this round; at its beginning, those of earlier rounds. */
  private static List<String> keysInUse(Arena arena, Random random) throws IOException {
    List<String> prefixes =
        new ArrayList<>(Arena.shuffled(Workloads.prefixes(arena.round()), random));
    prefixes.add("");
    boolean last = random.nextBoolean();
    for (String prefix : prefixes) {
      List<String> keys = arena.keys(prefix, last, ROWS_MAX);
      if (!keys.isEmpty()) {
        return keys;
      }
    }
    return List.of();
  }
}
