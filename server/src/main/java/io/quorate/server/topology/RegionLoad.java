package io.quorate.server.topology;

import io.quorate.model.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the requests that a node receives for a region, and keeps a sample of their keys. Any
 * thread; does not block. The sample holds at most 64 KiB.
 */
public final class RegionLoad {
  private static final int SAMPLE_SIZE = 64;
  private static final int KEY_BYTES_MAX = 1024;

  /** A power of two. */
  private static final int REQUESTS_PER_SAMPLE = 32;

  private final LongAdder requests = new LongAdder();
  private final AtomicReferenceArray<Key> sample = new AtomicReferenceArray<>(SAMPLE_SIZE);

  /**
   * The load of some time.
   *
   * @param requests the number of requests
   * @param keys of some of them, in no order
   */
  public record Interval(long requests, List<Key> keys) {}

  /** Counts a request for a key. */
  public void record(Key key) {
    requests.increment();
    ThreadLocalRandom random = ThreadLocalRandom.current();
    if ((random.nextInt() & REQUESTS_PER_SAMPLE - 1) == 0 && key.size() <= KEY_BYTES_MAX) {
      sample.lazySet(random.nextInt(SAMPLE_SIZE), key);
    }
  }

  /** The load since the last call, which begins anew. */
  public Interval take() {
    List<Key> keys = new ArrayList<>(SAMPLE_SIZE);
    for (int i = 0; i < SAMPLE_SIZE; i++) {
      Key key = sample.getAndSet(i, null);
      if (key != null) {
        keys.add(key);
      }
    }
    return new Interval(requests.sumThenReset(), keys);
  }
}
