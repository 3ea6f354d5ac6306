package io.quorate.torture.workload;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Outcome;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** A put, read at once by the client that performed it and then by another client. */
final class ReadAfterWrite implements Workload {
  private static final int KEYS = 2;
  private static final int OPERATIONS_MAX = 80;

  private final Keys keys;
  private final AtomicLong values = new AtomicLong();

  ReadAfterWrite(String keyPrefix) {
    keys = new Keys(keyPrefix + name(), KEYS, OPERATIONS_MAX);
  }

  @Override
  public String name() {
    return "read-after-write";
  }

  @Override
  public void step(RecordingClient own, RecordingClient other, Random random)
      throws InterruptedException {
    String key = keys.next().key(random.nextInt(KEYS));
    Outcome written = own.perform(new Action.Put(key, "v" + values.getAndIncrement()));
    own.perform(new Action.Get(key));
    other.perform(new Action.Get(key));
    if (written instanceof Outcome.Indeterminate) {
      keys.countIndeterminate();
    }
  }
}
