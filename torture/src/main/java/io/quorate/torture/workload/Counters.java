package io.quorate.torture.workload;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Outcome;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Increments of a number and appends to a list: a write that took effect twice or not at all shows
 * in the sum or in the list.
 */
final class Counters implements Workload {
  private static final int NUMBER = 0;
  private static final int LIST = 1;
  private static final int OPERATIONS_MAX = 160;
  private static final int DELTA_MAX = 9;

  private final Keys keys;
  private final AtomicLong values = new AtomicLong();

  Counters(String keyPrefix) {
    keys = new Keys(keyPrefix + name(), 2, OPERATIONS_MAX);
  }

  @Override
  public String name() {
    return "counters";
  }

  @Override
  public void step(RecordingClient own, RecordingClient other, Random random)
      throws InterruptedException {
    Keys.Group group = keys.next();
    long delta = 1 + random.nextInt(DELTA_MAX);
    Action action =
        switch (random.nextInt(8)) {
          case 0, 1, 2 -> new Action.IncrementAndGet(group.key(NUMBER), delta);
          case 3 -> new Action.Increment(group.key(NUMBER), delta);
          case 4, 5 -> new Action.Append(group.key(LIST), values.getAndIncrement() + " ");
          case 6 -> new Action.Get(group.key(NUMBER));
          default -> new Action.Get(group.key(LIST));
        };
    if (own.perform(action) instanceof Outcome.Indeterminate) {
      keys.countIndeterminate();
    }
  }
}
