package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.model.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Clients that count in keys of all regions, which shows what took effect twice or never. A write
 * that fails or is indeterminate ends the test.
 */
final class CountingClients {
  static final int KEYS = 60;

  private static final int WRITERS = 3;

  private final AtomicBoolean done = new AtomicBoolean();
  private final List<CompletableFuture<long[]>> writers = new ArrayList<>();

  private CountingClients() {}

  static String key(int number) {
    return "k%02d".formatted(number);
  }

  /** Sets all counters to 0, and starts to count. */
  static CountingClients start(Supplier<QuorateClient> clients) {
    CountingClients counting = new CountingClients();
    try (QuorateClient client = clients.get()) {
      for (int i = 0; i < KEYS; i++) {
        client.put(key(i), "0");
      }
    }
    for (int i = 0; i < WRITERS; i++) {
      int seed = i;
      counting.writers.add(CompletableFuture.supplyAsync(() -> counting.count(clients, seed)));
    }
    return counting;
  }

  /** Increments keys, each of which has its effect once, and reads them. */
  private long[] count(Supplier<QuorateClient> clients, int seed) {
    long[] counts = new long[KEYS];
    SplittableRandom random = new SplittableRandom(seed);
    try (QuorateClient client = clients.get()) {
      while (!done.get()) {
        int number = random.nextInt(KEYS);
        long value = client.incrementAndGet(key(number), 1);
        counts[number]++;
        assertThat(value).isGreaterThanOrEqualTo(counts[number]);
        assertThat(Long.parseLong(client.get(key(number)).orElseThrow()))
            .isGreaterThanOrEqualTo(value);
      }
    }
    return counts;
  }

  /** Ends the clients and returns what each counter must be. */
  long[] stop() {
    done.set(true);
    long[] sums = new long[KEYS];
    for (CompletableFuture<long[]> writer : writers) {
      long[] counts = writer.join();
      for (int i = 0; i < KEYS; i++) {
        sums[i] += counts[i];
      }
    }
    return sums;
  }

  static void assertCounters(QuorateClient client, long[] sums) {
    for (int i = 0; i < KEYS; i++) {
      assertThat(client.get(key(i))).as(key(i)).contains(Long.toString(sums[i]));
    }
    assertThat(client.async().scan(KeyRange.ALL, KEYS + 1).join())
        .extracting(row -> new String(row.value(), UTF_8))
        .hasSize(KEYS);
  }
}
