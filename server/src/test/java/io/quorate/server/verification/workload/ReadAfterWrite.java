package io.quorate.server.verification.workload;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Outcome;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** A write, read at once by the client that made it and then by another one. */
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
      keys.weigh();
    }
  }
}
