package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.Batch;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.client.ReplicaState;
import io.quorate.client.cli.ClientCommands;
import io.quorate.client.cli.terminal.Terminal;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.server.config.Preset;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Regions split on request. Each test has a cluster of its own. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class RegionSplitTest extends ClusterFixture {
  private static final int KEYS = 60;
  private static final int SPLITS = 6;
  private static final int WRITERS = 3;

  static Stream<Preset> presets() {
    return Stream.of("raft", "buc", "quorum-strong", "acqr")
        .map(name -> Preset.named(name).orElseThrow());
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

  @Test
  void aReplicaThatWasDownBeginsTheNewRegionWhenItAppliesTheSplit() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      client.put("a", "1");
      client.put("z", "2");
      // Of the nodes with a replica, all report before a split is planned.
      client.splitRegion("m".getBytes(UTF_8));
      nodes.get(2).close();
      awaitServed(client, new GroupId(2));
      client.put("y", "3");
      nodes.set(2, start(2));
      await().atMost(TIMEOUT).until(() -> replica(client, "n3", new GroupId(2)).isPresent());
      nodes.get(0).close();
      assertThat(client.get("a")).contains("1");
      assertThat(client.get("y")).contains("3");
      client.put("z", "4");
      assertThat(client.get("z")).contains("4");
    }
  }

  @Test
  void replicasOfRegionsThatHaveSplitMove() throws IOException {
    start(4, "cluster.replicas = 3, placement.policy = none");
    try (QuorateClient client = client()) {
      for (int i = 0; i < KEYS; i++) {
        client.put(key(i), Integer.toString(i));
      }
      GroupId child = client.splitRegion(key(30).getBytes(UTF_8));
      awaitServed(client, child);
      for (GroupId region : List.of(new GroupId(1), child)) {
        client.moveReplica(region, new NodeId("n1"), new NodeId("n4"));
        await()
            .atMost(TIMEOUT)
            .until(
                () ->
                    replica(client, "n4", region).isPresent()
                        && replica(client, "n1", region).isEmpty());
      }
      GroupId grandchild = client.splitRegion(key(45).getBytes(UTF_8));
      awaitServed(client, grandchild);
      nodes.get(1).close();
      for (int i = 0; i < KEYS; i++) {
        assertThat(client.get(key(i))).contains(Integer.toString(i));
        client.put(key(i), "new");
      }
    }
  }

  @Test
  void largeRegionsSplitByThemselvesBetweenPrefixes() throws IOException {
    start(3, "placement.split-size = 300 KiB, placement.split-prefix-end = \"/\"");
    int users = 8;
    byte[] bytes = new byte[7_500];
    new Random(1).nextBytes(bytes);
    // Does not become small in tables.
    String value = Base64.getEncoder().encodeToString(bytes);
    try (QuorateClient client = client()) {
      for (int i = 0; i < users * 10; i++) {
        client.put(name(i), value);
      }
      await()
          .atMost(TIMEOUT)
          .until(() -> client.status().nodes().get(0).state().orElseThrow().regions().size() >= 4);
      for (int user = 0; user < users; user++) {
        Batch batch = new Batch();
        for (int i = user * 10; i < user * 10 + 10; i++) {
          assertThat(client.get(name(i))).as(name(i)).contains(value);
          batch.put(name(i), "new");
        }
        client.batch(batch);
      }
    }
  }

  /** Ten keys of each of several users. */
  private static String name(int number) {
    return "user%d/%d".formatted(number / 10, number % 10);
  }

  @Test
  void impossibleSplitsAreRejected() throws IOException {
    start(1, "cluster.replicas = 1");
    try (QuorateClient client = client()) {
      assertThatThrownBy(() -> client.splitRegion(new byte[0]))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("at least 1 byte");
      assertThatThrownBy(() -> client.splitRegion(new byte[70_000]))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("limits.key");
    }
  }

  private static void awaitServed(QuorateClient client, GroupId region) {
    await()
        .atMost(TIMEOUT)
        .until(() -> client.status().replicas(region).stream().anyMatch(ReplicaState::serving));
  }

  private static Optional<ReplicaState> replica(QuorateClient client, String node, GroupId region) {
    return client.status().nodes().stream()
        .filter(report -> report.id().equals(Optional.of(new NodeId(node))))
        .flatMap(report -> report.replica(region).stream())
        .findFirst();
  }
}
