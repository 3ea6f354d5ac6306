package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.client.cli.ClientCommands;
import io.quorate.client.cli.terminal.Terminal;
import io.quorate.server.config.Preset;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
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

/** Regions split on request while clients count, which shows what took effect twice or never. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class RegionSplitUnderLoadTest extends ClusterFixture {
  private static final int KEYS = 60;
  private static final int SPLITS = 6;
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
  void regionsSplitWhileClientsWriteAndRead() throws IOException {
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
      int width = KEYS / SPLITS;
      for (int i = 1; i < SPLITS; i++) {
        assertThat(split(key(i * width)))
            .isEqualTo("Region %d has the keys from %s on.\n".formatted(i + 1, key(i * width)));
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
      assertThat(split(key(1))).isEqualTo("Region 7 has the keys from k01 on.\n");
      assertThat(split(key(1))).as("again").isEqualTo("Region 7 has the keys from k01 on.\n");
      assertCounters(client, sums);
      assertThat(client.incrementAndGet(key(1), 1)).isEqualTo(sums[1] + 1);
    }
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

  /** Executes the command line as it is documented in docs/operations.md. */
  private String split(String key) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), to, to, false);
    ClientCommands.named("region", terminal)
        .orElseThrow()
        .execute("split", key, "--timeout=1m", "--at=" + cluster.seeds());
    return out.toString(UTF_8);
  }
}
