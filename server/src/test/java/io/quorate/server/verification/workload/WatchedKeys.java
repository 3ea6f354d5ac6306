package io.quorate.server.verification.workload;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Outcome;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keys with some clients that only write and others that only read. A client that writes soon waits
 * for a leader that was cut off, and goes to look for another one; those that read have no reason
 * to, so they are the first to be told something old. Writes are rare enough that all replicas know
 * the last one most of the time, which is when a leader may believe that it knows enough.
 */
final class WatchedKeys {
  private static final int KEYS = 2;
  private static final int OPERATIONS_MAX = 200;
  private static final int REST_MILLIS_MIN = 100;
  private static final int REST_MILLIS_SPREAD = 300;

  private final Keys keys;
  private final AtomicLong values = new AtomicLong();

  private WatchedKeys(String keyPrefix) {
    keys = new Keys(keyPrefix + "watched-keys", KEYS, OPERATIONS_MAX);
  }

  /** Both sides, one after the other. */
  static List<Workload> sides(String keyPrefix) {
    WatchedKeys watched = new WatchedKeys(keyPrefix);
    return List.of(watched.new Writers(), watched.new Readers());
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
        keys.weigh();
      }
      TimeUnit.MILLISECONDS.sleep(REST_MILLIS_MIN + random.nextInt(REST_MILLIS_SPREAD));
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
