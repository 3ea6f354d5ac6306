package io.quorate.torture.workload;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Outcome;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** Batches, single writes and reads of four keys of one region, and scans of all four. */
final class ScansAndBatches implements Workload {
  static final String NAME = "scans-and-batches";

  private static final int KEYS = 4;
  private static final int OPERATIONS_MAX = 120;

  private final Keys keys;
  private final AtomicLong values = new AtomicLong();

  ScansAndBatches(String keyPrefix) {
    keys = new Keys(keyPrefix + name(), KEYS, OPERATIONS_MAX);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void step(RecordingClient own, RecordingClient other, Random random)
      throws InterruptedException {
    Keys.Group group = keys.next();
    Action action =
        switch (random.nextInt(6)) {
          case 0, 1 -> new Action.Batch(changes(group, random));
          case 2 -> new Action.Put(group.key(random.nextInt(KEYS)), value());
          case 3 -> new Action.Get(group.key(random.nextInt(KEYS)));
          default -> new Action.Scan(group.prefix(), group.end());
        };
    if (own.perform(action) instanceof Outcome.Indeterminate) {
      keys.countIndeterminate();
    }
  }

  private List<Action.Change> changes(Keys.Group group, Random random) {
    boolean isDelete = random.nextInt(5) == 0;
    return group.keys().stream()
        .filter(key -> random.nextInt(KEYS) != 0)
        .map(key -> isDelete ? new Action.Delete(key) : new Action.Put(key, value()))
        .collect(
            Collectors.collectingAndThen(
                Collectors.<Action.Change>toList(),
                changes -> changes.isEmpty() ? List.of(new Action.Delete(group.key(0))) : changes));
  }

  private String value() {
    return "v" + values.getAndIncrement();
  }
}
