package io.quorate.torture.workload;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Outcome;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Puts, gets, deletes, get-and-puts, compare-and-sets and scans of four keys, most of whose values
 * are large: under coded replication these are replicated beside the log. Some keys are written
 * once only, so that no later value hides a lost one.
 */
final class LargeValues implements Workload {
  static final String NAME = "large-values";

  private static final int KEYS = 4;
  private static final int OPERATIONS_MAX = 160;

  private final Keys keys;
  private final AtomicLong values = new AtomicLong();
  private final AtomicLong unique = new AtomicLong();

  LargeValues(String keyPrefix) {
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
    String key = group.key(random.nextInt(KEYS));
    Outcome outcome =
        switch (random.nextInt(14)) {
          case 0, 1, 2 -> own.perform(new Action.Put(key, large()));
          case 3 -> own.perform(new Action.Put(group.unique(unique.getAndIncrement()), large()));
          case 4 -> own.perform(new Action.Put(key, small()));
          case 5 -> own.perform(new Action.Delete(key));
          case 6 -> own.perform(new Action.Scan(group.prefix(), group.end()));
          case 7 -> own.perform(new Action.GetAndPut(key, large()));
          case 8 -> own.perform(new Action.GetAndPut(key, small()));
          case 9 -> own.swap(key, large());
          case 10 -> own.swap(key, small());
          default -> own.perform(new Action.Get(key));
        };
    if (outcome instanceof Outcome.Indeterminate) {
      keys.countIndeterminate();
    }
  }

  private String large() {
    return LargeText.MARK + small();
  }

  private String small() {
    return "v" + values.getAndIncrement();
  }
}
