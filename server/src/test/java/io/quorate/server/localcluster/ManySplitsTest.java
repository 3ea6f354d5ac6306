package io.quorate.server.localcluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.model.GroupId;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster of processes splits regions, and merges some again, while clients add to counters and
 * append to texts close to the split keys. In the first half nothing fails, and no write may be
 * indeterminate; in the second half nodes are killed, so that responses are lost. Regions that are
 * not written any more hibernate. The property {@code splits} is the number of splits; {@code
 * regions} is the number of regions above which there is a merge for each split.
 */
@Tag("slow")
class ManySplitsTest {
  private static final int SPLITS = Integer.getInteger("splits", 24);
  private static final int REGIONS_MAX = Integer.getInteger("regions", 8);
  private static final int KILLS = Math.min(10, SPLITS / 6);
  private static final int WRITERS = 6;

  /** How many keys before and after the last split key are written. */
  private static final int KEYS_BEFORE = 12;

  private static final int KEYS_AFTER = 4;
  private static final int KEYS = SPLITS + KEYS_AFTER;

  /** Regions with more keys are not merged, since they may have more than 1 MiB. */
  private static final int KEYS_MERGED_MAX = 100;

  /** A node that was down may have to apply many splits before it can take part in the last. */
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @TempDir private Path directory;

  private final AtomicInteger lastSplit = new AtomicInteger();
  private final AtomicIntegerArray acknowledged = new AtomicIntegerArray(KEYS);
  private final AtomicIntegerArray indeterminate = new AtomicIntegerArray(KEYS);
  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** The numbers of the keys at which regions begin; the first region begins with no key. */
  private final NavigableSet<Integer> starts = new TreeSet<>();

  private final SplittableRandom choices = new SplittableRandom(SPLITS);
  private volatile boolean done;

  private static String key(int number) {
    return "k%05d".formatted(number);
  }

  @Test
  @Timeout(7_200)
  void everyWriteTakesEffectOnce() throws IOException {
    Map<String, String> settings =
        Map.of(
            "placement.policy", "none",
            "raft.hibernate-after", "2s",
            "raft.groups-running-min", "4");
    try (ProcessCluster cluster =
        ProcessCluster.temporary(
            directory, new Shape(3, 1, "raft"), plan -> plan, node -> Launch.with(settings))) {
      cluster.start();
      cluster.awaitServing(TIMEOUT);
      String seeds = cluster.plan().clientAddresses();
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int seed = i;
        writers.add(CompletableFuture.runAsync(() -> write(seeds, seed), threads));
      }
      Set<GroupId> regions = new HashSet<>();
      try (QuorateClient client = client(seeds)) {
        split(client, 1, SPLITS / 2, regions, () -> mergeSome(client));
        assertThat(sum(indeterminate)).isZero();
        for (int kill = 0; kill < KILLS; kill++) {
          awaitRegions(client);
          NodeProcess node = cluster.nodes().get(kill % cluster.nodes().size());
          node.kill();
          int last = SPLITS / 2 + (SPLITS - SPLITS / 2) * (kill + 1) / KILLS;
          // No merge begins while a node is down.
          split(client, lastSplit.get() + 1, last, regions, () -> {});
          node.start();
          cluster.awaitServing(TIMEOUT);
          mergeSome(client);
        }
        done = true;
        writers.forEach(CompletableFuture::join);
        assertThat(regions).hasSize(SPLITS);
        awaitRegions(client);
        cluster.nodes().forEach(NodeProcess::kill);
        cluster.start();
        cluster.awaitServing(TIMEOUT);
        assertWrites(client);
      }
      System.out.printf(
          "%d splits, %d merges, %d acknowledged and %d indeterminate writes%n",
          SPLITS, SPLITS - starts.size(), sum(acknowledged), sum(indeterminate));
    } finally {
      done = true;
      threads.shutdown();
    }
  }

  private static QuorateClient client(String seeds) {
    return QuorateClient.connect(ClientOptions.builder(seeds).deadline(DEADLINE).build());
  }

  private void split(
      QuorateClient client, int first, int last, Set<GroupId> regions, Runnable afterEach) {
    for (int number = first; number <= last; number++) {
      regions.add(request(key(number), client::splitRegion));
      lastSplit.set(number);
      afterEach.run();
      starts.add(number);
      if (number % 50 == 0) {
        System.out.printf(
            "%s %d splits, %d acknowledged and %d indeterminate writes%n",
            LocalTime.now(), number, sum(acknowledged), sum(indeterminate));
      }
    }
  }

  /** Requests a change, again if it is interrupted by the end of a node. */
  private static GroupId request(String at, Function<byte[], GroupId> change) {
    return await(at)
        .atMost(TIMEOUT)
        .ignoreExceptionsMatching(
            e -> e instanceof QuorateException && !(e instanceof InvalidRequestException))
        .until(() -> change.apply(at.getBytes(UTF_8)), region -> true);
  }

  /** A request before, whose response was lost, may have merged the region. */
  private static GroupId mergeUnlessMerged(QuorateClient client, byte[] at) {
    try {
      return client.mergeRegion(at);
    } catch (InvalidRequestException e) {
      if (e.getMessage().startsWith("No region begins at")) {
        return new GroupId(0);
      }
      throw e;
    }
  }

  /** Merges regions with few keys, but not the newest one, whose split may be under way. */
  private void mergeSome(QuorateClient client) {
    while (starts.size() >= REGIONS_MAX) {
      List<Integer> possible =
          starts.stream().filter(start -> endOf(start) - start <= KEYS_MERGED_MAX).toList();
      if (possible.isEmpty()) {
        return;
      }
      int start = possible.get(choices.nextInt(possible.size()));
      request(key(start), at -> mergeUnlessMerged(client, at));
      starts.remove(start);
    }
  }

  private int endOf(int start) {
    return Optional.ofNullable(starts.higher(start)).orElse(lastSplit.get());
  }

  /** Awaits that every node knows the regions that are left, and has a replica of each. */
  private void awaitRegions(QuorateClient client) {
    List<String> expected = new ArrayList<>(List.of(""));
    starts.forEach(start -> expected.add(key(start)));
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              for (NodeReport node : client.status().nodes()) {
                assertThat(node.isUp()).isTrue();
                NodeState state = node.state().orElseThrow();
                assertThat(state.regions())
                    .extracting(region -> new String(region.range().start().bytes(), UTF_8))
                    .containsExactlyInAnyOrderElementsOf(expected);
                assertThat(state.regions())
                    .allMatch(region -> node.replica(region.id()).isPresent());
                assertThat(state.plans()).as("every replica is a member").isEmpty();
              }
            });
  }

  /** Adds to the even keys, and appends to the odd ones. */
  private void write(String seeds, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (QuorateClient client = client(seeds)) {
      while (!done) {
        int last = lastSplit.get();
        int number = random.nextInt(Math.max(0, last - KEYS_BEFORE), last + KEYS_AFTER);
        try {
          if (number % 2 == 0) {
            client.incrementAndGet(key(number), 1);
          } else {
            client.append(key(number), "x");
          }
          acknowledged.incrementAndGet(number);
        } catch (IndeterminateException e) {
          indeterminate.incrementAndGet(number);
        } catch (QuorateException e) {
          // The write had no effect.
          continue;
        }
      }
    }
  }

  /** Several keys at a time, since most regions hibernate and start when they are read. */
  private void assertWrites(QuorateClient client) {
    CompletableFuture<?>[] readers = new CompletableFuture<?>[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
      int first = i;
      readers[i] =
          CompletableFuture.runAsync(
              () -> {
                for (int number = first; number < KEYS; number += WRITERS) {
                  assertWrites(client, number);
                }
              },
              threads);
    }
    CompletableFuture.allOf(readers).join();
  }

  private void assertWrites(QuorateClient client, int number) {
    String value = client.get(key(number)).orElse(number % 2 == 0 ? "0" : "");
    int writes = number % 2 == 0 ? Integer.parseInt(value) : value.length();
    assertThat(writes)
        .as(key(number))
        .isBetween(acknowledged.get(number), acknowledged.get(number) + indeterminate.get(number));
  }

  private static long sum(AtomicIntegerArray counts) {
    long sum = 0;
    for (int i = 0; i < counts.length(); i++) {
      sum += counts.get(i);
    }
    return sum;
  }
}
