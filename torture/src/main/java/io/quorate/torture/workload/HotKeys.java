package io.quorate.torture.workload;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Outcome;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Gets, puts, deletes, get-and-puts and compare-and-sets on three keys, with unique values. */
final class HotKeys implements Workload {
  private static final int KEYS = 3;
  private static final int OPERATIONS_MAX = 240;

  private final Keys keys;
  private final AtomicLong values = new AtomicLong();

  HotKeys(String keyPrefix) {
    keys = new Keys(keyPrefix + name(), KEYS, OPERATIONS_MAX);
  }

  @Override
  public String name() {
    return "hot-keys";
  }

  @Override
  public void step(RecordingClient own, RecordingClient other, Random random)
      throws InterruptedException {
    String key = keys.next().key(random.nextInt(KEYS));
    Outcome outcome =
        switch (random.nextInt(10)) {
          case 0, 1, 2 -> own.perform(new Action.Put(key, value()));
          case 3 -> own.perform(new Action.GetAndPut(key, value()));
          case 4 -> own.perform(new Action.Delete(key));
          case 5, 6 -> own.swap(key, value());
          default -> own.perform(new Action.Get(key));
        };
    if (outcome instanceof Outcome.Indeterminate) {
      keys.countIndeterminate();
    }
  }

  private String value() {
    return "v" + values.getAndIncrement();
  }
}
