package io.quorate.benchmarks.limits;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** Copies an array that is larger than the caches of most processors, by one thread. */
final class MemoryProbe implements LimitProbe {
  private static final int BYTES = 64 << 20;
  private static final double BYTES_PER_GB = 1e9;

  private final byte[] from = new byte[BYTES];
  private final byte[] to = new byte[BYTES];

  @Override
  public Map<Limit, Double> measure(Duration time) throws IOException {
    Repetitions copies = Repetitions.run(time, () -> System.arraycopy(from, 0, to, 0, BYTES));
    return Map.of(Limit.MEMORY_COPY, copies.perSecond() * BYTES / BYTES_PER_GB);
  }

  @Override
  public void close() {}
}
