package io.quorate.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.read.ReadStatistics;
import io.quorate.storage.read.ScanPlan;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reads while batches are committed and, later, applied. Each read must return the state at one
 * position, from the last one committed before the read to the last one whose delivery began by its
 * end.
 */
class AcceleratedReadsStressTest {
  private static final int BATCHES = 4_000;
  private static final int READERS = 2;

  private static final StorageOptions OPTIONS =
      TestRegion.OPTIONS.toBuilder()
          .replyAtCommit(true)
          .readAcceleration(true)
          .overlayChanges(200)
          .writeBufferBytes(64 << 10)
          .build();

  @TempDir Path directory;

  /** Index of the last batch whose delivery has begun, and of the last batch that is delivered. */
  private final AtomicInteger begun = new AtomicInteger(-1);

  private final AtomicInteger committed = new AtomicInteger(-1);
  private final AtomicInteger countScans = new AtomicInteger();

  static Stream<Arguments> seeds() {
    return Stream.of(1L, 2L, System.nanoTime())
        .flatMap(
            seed ->
                Arrays.stream(StorageOptions.Scans.values()).map(mode -> arguments(mode, seed)));
  }

  @AfterEach
  void releaseWrites() {
    StoragePoints.BEFORE_WRITE.off();
  }

  /** The rows after each batch. */
  private static List<Map<String, String>> states(RandomHistory history) {
    List<Map<String, String>> states = new ArrayList<>();
    Model model = history.newModel();
    for (int i = 0; i < BATCHES; i++) {
      for (ClientCommand request : history.batches.get(i)) {
        model.apply(request, TestRegion.at(i));
      }
      states.add(new HashMap<>(model.rows));
    }
    return states;
  }

  @ParameterizedTest(name = "{0}, seed {1}")
  @MethodSource("seeds")
  @Timeout(180)
  void everyReadIsTheStateAtOnePosition(StorageOptions.Scans mode, long seed) throws Exception {
    RandomHistory history = new RandomHistory(seed, BATCHES);
    List<Map<String, String>> states = states(history);
    ExecutorService readers = Executors.newFixedThreadPool(READERS);
    try (TestRegion region =
        TestRegion.open(directory, OPTIONS.toBuilder().scans(mode).build(), RandomHistory.WINDOW)) {
      lagBehind(region, mode, new Random(seed));
      List<Future<Integer>> reads = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        Random random = new Random(seed + 1 + i);
        reads.add(readers.submit(() -> read(region, states, random, "seed " + seed)));
      }
      for (int i = 0; i < BATCHES; i++) {
        begun.set(i);
        region.committed(i, history.batches.get(i)).toCompletableFuture().get(30, TimeUnit.SECONDS);
        committed.set(i);
        if (i % (BATCHES / 4) == 0) {
          awaitReads(reads);
        }
      }
      for (Future<Integer> each : reads) {
        assertThat(each.get(30, TimeUnit.SECONDS)).as("seed %d: reads", seed).isPositive();
      }
      region.awaitApplied(BATCHES - 1);
      assertThat(region.rows()).as("seed %d", seed).isEqualTo(states.get(BATCHES - 1));
      ReadStatistics statistics = region.store.reads();
      assertThat(statistics.immediate() > 0).isEqualTo(mode == StorageOptions.Scans.COST_MODEL);
      assertThat(statistics.relaxed() > 0).isEqualTo(mode == StorageOptions.Scans.COST_MODEL);
    } finally {
      readers.shutdownNow();
    }
  }

  /** Waits for further count scans, so that readers make progress on few processors, too. */
  private void awaitReads(List<Future<Integer>> reads) {
    int enough = countScans.get() + 20;
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(1))
        .until(() -> countScans.get() >= enough || reads.stream().anyMatch(Future::isDone));
  }

  /**
   * Keeps the applier up to 24 positions behind the commits, but delays no write beyond 3 ms;
   * beyond 100 ms where a scan that waits for pending removals is expected and has not occurred, so
   * that readers meet them on a busy machine, too.
   */
  private void lagBehind(TestRegion region, StorageOptions.Scans mode, Random random) {
    StoragePoints.BEFORE_WRITE.on(
        (point, subject) -> {
          long ahead = region.store.applied().index() + random.nextInt(25);
          long since = System.nanoTime();
          while ((committed.get() < Math.min(ahead, BATCHES - 1)
                  && System.nanoTime() - since < TimeUnit.MILLISECONDS.toNanos(3))
              || (isRelaxedScanMissing(region, mode)
                  && System.nanoTime() - since < TimeUnit.MILLISECONDS.toNanos(100))) {
            Thread.yield();
          }
        });
  }

  private boolean isRelaxedScanMissing(TestRegion region, StorageOptions.Scans mode) {
    return mode == StorageOptions.Scans.COST_MODEL
        && committed.get() > BATCHES / 2
        && region.store.reads().relaxed() == 0;
  }

  /** Reads the first rows of a range, as a server does, in the mode that the plan chooses. */
  private Map<String, String> countScan(
      TestRegion region, KeyRange range, ScanOrder order, int count) {
    if (committed.get() > BATCHES / 2) {
      // An artificial cost: from now on reading rows is expensive, so that both modes occur on
      // every machine.
      region.store.meter().rowsRead(1, TimeUnit.DAYS.toNanos(1));
    }
    ScanPlan plan = region.store.planScan(range, order, count);
    region.store.awaitScan(plan).toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    Map<String, String> rows = new HashMap<>();
    region
        .store
        .cut(range, order, count, 1 << 20, plan)
        .page()
        .rows()
        .forEach(
            row ->
                rows.put(
                    new String(row.key().bytes(), StandardCharsets.UTF_8),
                    TestRegion.text(row.value())));
    return rows;
  }

  private static Map<String, String> first(
      Map<String, String> state, String key, ScanOrder order, int count) {
    TreeMap<String, String> rows = new TreeMap<>(state);
    Map<String, String> first = new HashMap<>();
    (order == ScanOrder.FORWARD
            ? rows.tailMap(key, true)
            : rows.headMap(key, false).descendingMap())
        .entrySet().stream().limit(count).forEach(row -> first.put(row.getKey(), row.getValue()));
    return first;
  }

  private int read(
      TestRegion region, List<Map<String, String>> states, Random random, String when) {
    int reads = 0;
    while (committed.get() < BATCHES - 1) {
      int earliest = committed.get();
      if (earliest < 0) {
        continue;
      }
      String key = "key" + random.nextInt(12);
      int kind = random.nextInt(3);
      if (kind == 0) {
        Optional<String> value = region.get(key);
        int latest = begun.get();
        assertThat(states.subList(earliest, latest + 1))
            .as("%s, %s from %d to %d", when, key, earliest, latest)
            .anyMatch(state -> Optional.ofNullable(state.get(key)).equals(value));
      } else if (kind == 1) {
        int count = 1 + random.nextInt(4);
        ScanOrder order = random.nextBoolean() ? ScanOrder.FORWARD : ScanOrder.REVERSE;
        KeyRange range =
            order == ScanOrder.FORWARD
                ? KeyRange.from(Key.utf8(key))
                : KeyRange.of(Key.EMPTY, Key.utf8(key));
        Map<String, String> rows = countScan(region, range, order, count);
        int latest = begun.get();
        assertThat(states.subList(earliest, latest + 1))
            .as("%s, %s, %d rows at %s from %d to %d", when, order, count, key, earliest, latest)
            .anyMatch(state -> first(state, key, order, count).equals(rows));
        countScans.incrementAndGet();
      } else {
        Map<String, String> rows = region.rows();
        int latest = begun.get();
        assertThat(states.subList(earliest, latest + 1))
            .as("%s, scan from %d to %d", when, earliest, latest)
            .contains(rows);
      }
      reads++;
    }
    return reads;
  }
}
