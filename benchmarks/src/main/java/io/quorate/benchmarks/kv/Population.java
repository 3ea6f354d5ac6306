package io.quorate.benchmarks.kv;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/** The keys of a space in one cluster, which become more as some are inserted. Any thread. */
public final class Population {
  private final KeySpace keys;
  private final Zipfian zipfian;
  private final AtomicInteger claimed;
  private final AtomicInteger newest;

  /** As many as the space has. */
  public Population(KeySpace keys) {
    this.keys = keys;
    this.zipfian = new Zipfian(keys.count(), Zipfian.YCSB_THETA);
    this.claimed = new AtomicInteger(keys.count());
    this.newest = new AtomicInteger(keys.count() - 1);
  }

  /** The keys that were there from the beginning. */
  KeySpace initial() {
    return keys;
  }

  /**
   * A key that is there. Inserted ones are chosen as the latest only: all else stays with those
   * that were there from the beginning, so that a fast contender does not get more of them.
   */
  byte[] any(KeyChoice choice, RandomGenerator random) {
    return keys.key(
        switch (choice) {
          case UNIFORM -> random.nextInt(keys.count());
          case ZIPFIAN -> zipfian.any(random);
          case LATEST -> newest.get() - zipfian.any(random);
        });
  }

  /** The number of a key that nobody has inserted or will. */
  int claim() {
    return claimed.getAndIncrement();
  }

  byte[] key(int number) {
    return keys.key(number);
  }

  /** The key with this number is there from now on. */
  void inserted(int number) {
    newest.accumulateAndGet(number, Math::max);
  }
}
