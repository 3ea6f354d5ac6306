package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateClient;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Regions split and are merged again while clients count, which shows what took effect twice or
 * never.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class RegionMergeUnderLoadTest extends ClusterFixture {
  private static final int KEYS = 60;
  private static final int REGIONS = 4;
  private static final int WRITERS = 3;

  static Stream<Preset> presets() {
    return presets("raft acqr", "buc quorum");
  }

  @AfterEach
  @Override
  void stop() {
    super.stop();
  }

  private static String key(int number) {
    return "k%02d".formatted(number);
  }

  @Test
  void regionsAreMergedWhileClientsWriteAndRead() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      for (int i = 0; i < KEYS; i++) {
        client.put(key(i), "0");
      }
      AtomicBoolean done = new AtomicBoolean();
      List<CompletableFuture<long[]>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int seed = i;
        writers.add(CompletableFuture.supplyAsync(() -> count(seed, done)));
      }
      int width = KEYS / REGIONS;
      for (int round = 0; round < 2; round++) {
        for (int i = 1; i < REGIONS; i++) {
          awaitServed(client, client.splitRegion(key(i * width).getBytes(UTF_8)));
        }
        for (int i = 1; i < REGIONS; i++) {
          merge(client, key(i * width));
        }
      }
      done.set(true);
      long[] sums = new long[KEYS];
      for (CompletableFuture<long[]> writer : writers) {
        long[] counts = writer.join();
        for (int i = 0; i < KEYS; i++) {
          sums[i] += counts[i];
        }
      }
      assertCounters(client, sums);

      stop();
      for (int i = 0; i < nodes.size(); i++) {
        nodes.set(i, start(i));
      }
      assertCounters(client, sums);
      assertThat(client.incrementAndGet(key(1), 1)).isEqualTo(sums[1] + 1);
    }
  }

  private static void merge(QuorateClient client, String at) {
    client.mergeRegion(at.getBytes(UTF_8));
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                client.status().nodes().stream()
                    .allMatch(
                        node ->
                            node.state().orElseThrow().regions().stream()
                                .noneMatch(
                                    region -> region.range().start().toString().contains(at))));
  }

  /** Increments keys of all regions, each of which has its effect once, and reads them. */
  private long[] count(int seed, AtomicBoolean done) {
    long[] counts = new long[KEYS];
    SplittableRandom random = new SplittableRandom(seed);
    try (QuorateClient client = client()) {
      while (!done.get()) {
        int number = random.nextInt(KEYS);
        long value = client.incrementAndGet(key(number), 1);
        counts[number]++;
        assertThat(value).isGreaterThanOrEqualTo(counts[number]);
        assertThat(Long.parseLong(client.get(key(number)).orElseThrow()))
            .isGreaterThanOrEqualTo(value);
      }
    } catch (IndeterminateException e) {
      throw new AssertionError("No fault was injected.", e);
    }
    return counts;
  }

  private static void assertCounters(QuorateClient client, long[] sums) {
    for (int i = 0; i < KEYS; i++) {
      assertThat(client.get(key(i))).as(key(i)).contains(Long.toString(sums[i]));
    }
    assertThat(client.async().scan(new byte[0], KEYS + 1).join())
        .extracting(row -> new String(row.value(), UTF_8))
        .hasSize(KEYS);
  }
}
