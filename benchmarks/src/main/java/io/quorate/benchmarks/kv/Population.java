package io.quorate.benchmarks.kv;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/** The keys of a space in one cluster, which grow as some are inserted. Thread-safe. */
public final class Population {
  private final KeySpace keys;
  private final Zipfian zipfian;
  private final AtomicInteger claimed;
  private final AtomicInteger newest;

  /** Starts with the keys of the space. */
  public Population(KeySpace keys) {
    this.keys = keys;
    this.zipfian = new Zipfian(keys.count(), Zipfian.YCSB_THETA);
    this.claimed = new AtomicInteger(keys.count());
    this.newest = new AtomicInteger(keys.count() - 1);
  }

  /** The initial keys. */
  KeySpace initial() {
    return keys;
  }

  /**
   * Chooses an existing key. Only {@link KeyChoice#LATEST} chooses inserted keys: all other choices
   * are from the initial keys, so that a fast system does not work on a larger set.
   */
  byte[] any(KeyChoice choice, RandomGenerator random) {
    return keys.key(
        switch (choice) {
          case UNIFORM -> random.nextInt(keys.count());
          case ZIPFIAN -> zipfian.any(random);
          case LATEST -> newest.get() - zipfian.any(random);
          case HOT_FIFTH, HOT_HUNDREDTH, HOT_THOUSANDTH -> hotOrNot(choice.hotKeys(), random);
        });
  }

  /**
   * @param part the part of the keys that is hot, above 0
   */
  private int hotOrNot(double part, RandomGenerator random) {
    int hot = Math.max(1, (int) (part * keys.count()));
    return random.nextDouble() < KeyChoice.HOT_CALLS || hot == keys.count()
        ? random.nextInt(hot)
        : random.nextInt(hot, keys.count());
  }

  /** Reserves the number of a key that no other call inserts. */
  int claim() {
    return claimed.getAndIncrement();
  }

  byte[] key(int number) {
    return keys.key(number);
  }

  /** Records that the key with this number exists. */
  void inserted(int number) {
    newest.accumulateAndGet(number, Math::max);
  }
}
