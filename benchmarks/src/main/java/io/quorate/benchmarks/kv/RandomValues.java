package io.quorate.benchmarks.kv;

import java.util.Arrays;
import java.util.Random;
import java.util.random.RandomGenerator;

/** Incompressible values: windows into a pool of random bytes. Thread-safe. */
final class RandomValues {
  private static final int POOL_BYTES = 1 << 20;
  private static final long SEED = 42;

  private final byte[] pool;
  private final int bytes;

  /**
   * @param bytes length of every value
   */
  RandomValues(int bytes) {
    this.bytes = bytes;
    this.pool = new byte[POOL_BYTES + bytes];
    new Random(SEED).nextBytes(pool);
  }

  byte[] any(RandomGenerator random) {
    int from = random.nextInt(POOL_BYTES);
    return Arrays.copyOfRange(pool, from, from + bytes);
  }
}
