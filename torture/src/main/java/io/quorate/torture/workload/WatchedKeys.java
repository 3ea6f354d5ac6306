package io.quorate.torture.workload;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Outcome;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keys that some clients only write and others only read. A writing client soon gets no responses
 * from a leader that was cut off, and tries another replica; a reading client has no reason to
 * leave that leader, so it is the first to receive a stale value. Writes are so rare that usually
 * all replicas have the last one, which is when a leader may wrongly consider its state current.
 */
final class WatchedKeys {
  private static final int KEYS = 2;
  private static final int OPERATIONS_MAX = 200;
  private static final int PAUSE_MILLIS_MIN = 100;
  private static final int PAUSE_MILLIS_SPREAD = 300;

  private final Keys keys;
  private final AtomicLong values = new AtomicLong();

  private WatchedKeys(String keyPrefix) {
    keys = new Keys(keyPrefix + "watched-keys", KEYS, OPERATIONS_MAX);
  }

  /** The workload of the writers and that of the readers, on the same keys. */
  static List<Workload> writersAndReaders(String keyPrefix) {
    WatchedKeys watchedKeys = new WatchedKeys(keyPrefix);
    return List.of(watchedKeys.new Writers(), watchedKeys.new Readers());
  }

  private final class Writers implements Workload {
    @Override
    public String name() {
      return "watched-keys-writers";
    }

    @Override
    public void step(RecordingClient own, RecordingClient other, Random random)
        throws InterruptedException {
      String key = keys.next().key(random.nextInt(KEYS));
      Outcome written = own.perform(new Action.Put(key, "v" + values.getAndIncrement()));
      if (written instanceof Outcome.Indeterminate) {
        keys.countIndeterminate();
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS_MIN + random.nextInt(PAUSE_MILLIS_SPREAD));
    }
  }

  private final class Readers implements Workload {
    @Override
    public String name() {
      return "watched-keys-readers";
    }

    @Override
    public void step(RecordingClient own, RecordingClient other, Random random)
        throws InterruptedException {
      String key = keys.next().key(random.nextInt(KEYS));
      own.perform(new Action.Get(key));
      other.perform(new Action.Get(key));
    }
  }
}
