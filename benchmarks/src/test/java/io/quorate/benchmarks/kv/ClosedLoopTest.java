package io.quorate.benchmarks.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.server.cli.terminal.ProgressLine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ClosedLoopTest {
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long NANOS_PER_READING = TimeUnit.MILLISECONDS.toNanos(1);

  private static final int KEYS = 100;

  private final Population keys = new Population(new KeySpace(KEYS));
  private final AtomicLong now = new AtomicLong();

  /** Advances with every call, so that the speed of the machine has no effect. */
  private final LongSupplier clock = () -> now.addAndGet(NANOS_PER_READING);

  /** Responds after a short delay; records calls, keys and the number of calls in flight. */
  private static final class Memory implements KeyValueCalls {
    final Set<List<Byte>> written = ConcurrentHashMap.newKeySet();
    final AtomicInteger inFlight = new AtomicInteger();
    final AtomicInteger inFlightMax = new AtomicInteger();
    final LongAdder gets = new LongAdder();
    final LongAdder puts = new LongAdder();
    final LongAdder deletes = new LongAdder();
    final Set<Integer> scannedRows = ConcurrentHashMap.newKeySet();

    @Override
    public CompletionStage<?> put(byte[] key, byte[] value) {
      puts.increment();
      written.add(boxed(key));
      return respond();
    }

    @Override
    public CompletionStage<?> get(byte[] key) {
      gets.increment();
      return respond();
    }

    @Override
    public CompletionStage<?> delete(byte[] key) {
      deletes.increment();
      return respond();
    }

    @Override
    public CompletionStage<?> scan(byte[] start, int rows) {
      scannedRows.add(rows);
      return respond();
    }

    private CompletionStage<?> respond() {
      inFlightMax.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
      return CompletableFuture.runAsync(
          inFlight::decrementAndGet, CompletableFuture.delayedExecutor(100, TimeUnit.MICROSECONDS));
    }

    private static List<Byte> boxed(byte[] key) {
      List<Byte> bytes = new ArrayList<>();
      for (byte b : key) {
        bytes.add(b);
      }
      return bytes;
    }
  }

  @Test
  void everyClientHasOneCallInFlight() {
    Memory memory = new Memory();
    WorkloadStats stats = new WorkloadStats();

    new ClosedLoop(List.of(memory), keys, clock, 1)
        .run(new KvWorkload(Operations.PUT, 7, 16, 0), 0, SLICE_NANOS, stats)
        .join();

    assertThat(memory.inFlightMax.get()).isBetween(1, 7);
    assertThat(memory.inFlight.get()).isZero();
    assertThat(stats.all().count()).isPositive().isLessThanOrEqualTo(memory.puts.sum());
    assertThat(memory.gets.sum()).isZero();
    assertThat(stats.throughput()).isPositive();
  }

  @Test
  void eachCallIsCountedInTheIntervalInWhichItEnded() {
    KeyValueCalls immediate = new ScriptedCalls(() -> CompletableFuture.completedFuture(null));
    List<WorkloadStats> halves = List.of(new WorkloadStats(), new WorkloadStats());

    new ClosedLoop(List.of(immediate), keys, clock, 1)
        .run(
            new KvWorkload(Operations.PUT, 1, 16, 0),
            0,
            SLICE_NANOS,
            elapsed -> halves.get(elapsed < SLICE_NANOS / 2 ? 0 : 1))
        .join();

    // The clock is read when a call is sent and when it completes, a millisecond each.
    assertThat(halves.get(0).all().count()).isBetween(20L, 30L);
    assertThat(halves.get(1).all().count()).isBetween(20L, 30L);
  }

  /** The first calls complete only after the duration. */
  @Test
  void aSliceWithoutACallOfSomeKindIsExtended() {
    KeyValueCalls slow =
        new ScriptedCalls(
            () -> {
              now.addAndGet(3 * SLICE_NANOS);
              return CompletableFuture.completedFuture(null);
            });
    WorkloadStats stats = new WorkloadStats();

    new ClosedLoop(List.of(slow), keys, clock, 1)
        .run(new KvWorkload(Operations.MIXED, 1, 16, 0.5), 0, SLICE_NANOS, stats)
        .join();

    assertThat(stats.reads().count()).isPositive();
    assertThat(stats.writes().count()).isPositive();
    double seconds = stats.all().count() / stats.throughput();
    assertThat(seconds).isGreaterThan(TimeUnit.NANOSECONDS.toMillis(6 * SLICE_NANOS) / 1e3);
  }

  @Test
  void aSliceIsExtendedToABound() {
    AtomicInteger calls = new AtomicInteger();
    KeyValueCalls failing =
        new ScriptedCalls(
            () -> {
              now.addAndGet(SLICE_NANOS);
              calls.incrementAndGet();
              return CompletableFuture.failedFuture(new IllegalStateException("refused"));
            });
    WorkloadStats stats = new WorkloadStats();

    new ClosedLoop(List.of(failing), keys, clock, 1)
        .run(new KvWorkload(Operations.PUT, 1, 16, 0), 0, SLICE_NANOS, stats)
        .join();

    assertThat(calls.get()).isBetween(10, 20);
    assertThat(stats.throughput()).isZero();
  }

  /** The first call completes only after the duration. */
  @Test
  void aSliceOfAnExactDurationIsNotExtended() {
    AtomicInteger calls = new AtomicInteger();
    KeyValueCalls slow =
        new ScriptedCalls(
            () -> {
              now.addAndGet(3 * SLICE_NANOS);
              calls.incrementAndGet();
              return CompletableFuture.completedFuture(null);
            });
    WorkloadStats stats = new WorkloadStats();

    new ClosedLoop(List.of(slow), keys, clock, 1)
        .runExactly(new KvWorkload(Operations.PUT, 1, 16, 0), 0, SLICE_NANOS, stats)
        .join();

    assertThat(calls).hasValue(1);
    assertThat(stats.all().count()).isZero();
    assertThat(stats.throughput()).isZero();
  }

  @Test
  void fewerLongValuesThanShortOnesAreWrittenAtATime() {
    assertThat(Preload.inFlightMax(0)).isEqualTo(128);
    assertThat(Preload.inFlightMax(1024)).isEqualTo(128);
    assertThat(Preload.inFlightMax(1 << 20)).isEqualTo(16);
    assertThat(Preload.inFlightMax(64 << 20)).isEqualTo(1);
  }

  @Test
  void callsThatCompleteImmediatelyDoNotAccumulate() {
    KeyValueCalls immediate = new ScriptedCalls(() -> CompletableFuture.completedFuture(null));
    WorkloadStats stats = new WorkloadStats();

    new ClosedLoop(List.of(immediate), keys, clock, 1)
        .run(new KvWorkload(Operations.MIXED, 2, 16, 0.5), 0, SLICE_NANOS, stats)
        .join();

    assertThat(stats.reads().count()).isPositive();
    assertThat(stats.writes().count()).isPositive();
    assertThat(stats.all().count()).isEqualTo(stats.reads().count() + stats.writes().count());
  }

  @Test
  void failuresAreCountedAndTheClientContinues() {
    AtomicInteger calls = new AtomicInteger();
    KeyValueCalls failing =
        new ScriptedCalls(
            () ->
                calls.incrementAndGet() % 2 == 1
                    ? CompletableFuture.failedFuture(new IllegalStateException("refused"))
                    : CompletableFuture.completedFuture(null));
    WorkloadStats stats = new WorkloadStats();

    new ClosedLoop(List.of(failing), keys, clock, 1)
        .run(new KvWorkload(Operations.PUT, 1, 16, 0), 0, SLICE_NANOS, stats)
        .join();

    assertThat(stats.errors()).isPositive();
    assertThat(stats.firstError()).get().hasToString("java.lang.IllegalStateException: refused");
  }

  @Test
  void everyKindOfCallIsSentAndCountedByItsKind() {
    Memory memory = new Memory();
    WorkloadStats stats = new WorkloadStats();
    Mix mix =
        new Mix(
            Map.of(
                CallKind.INSERT, 0.25,
                CallKind.DELETE, 0.25,
                CallKind.SCAN, 0.25,
                CallKind.READ_MODIFY_WRITE, 0.25));

    new ClosedLoop(List.of(memory), keys, clock, 1)
        .run(new KvWorkload("all", mix, KeyChoice.LATEST, 4, 16), 0, 10 * SLICE_NANOS, stats)
        .join();

    assertThat(memory.deletes.sum()).isPositive();
    assertThat(memory.scannedRows)
        .isNotEmpty()
        .allMatch(rows -> rows >= 1 && rows <= KvWorkload.SCAN_ROWS_MAX);
    assertThat(stats.scans().count()).isPositive();
    // A read-modify-write is one call, and both a read and a write.
    assertThat(stats.reads().count()).isPositive().isLessThanOrEqualTo(memory.gets.sum());
    assertThat(stats.writes().count())
        .isPositive()
        .isLessThanOrEqualTo(memory.puts.sum() + memory.deletes.sum());
    assertThat(stats.all().count()).isEqualTo(stats.writes().count() + stats.scans().count());
    assertThat(memory.written).anyMatch(key -> key.equals(Memory.boxed(keys.key(KEYS))));
  }

  @Test
  void workloadsAlternateAndReadPreloadedKeys() throws IOException, InterruptedException {
    Memory memory = new Memory();
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      KvRun run = new KvRun(List.of(memory), keys, progress, clock);
      run.preload(16);
      assertThat(memory.written).hasSize(KEYS);

      KvWorkload one = new KvWorkload(Operations.GET, 1, 16, 1);
      KvWorkload two = new KvWorkload(Operations.GET, 2, 16, 1);
      Map<KvWorkload, WorkloadStats> statsByWorkload =
          run.measure(List.of(one, two), Duration.ZERO, Duration.ofMillis(100));

      assertThat(statsByWorkload.keySet()).containsExactly(one, two);
      assertThat(statsByWorkload.values()).allMatch(stats -> stats.all().count() > 0);
      assertThat(memory.puts.sum()).isEqualTo(KEYS);
    }
  }

  @Test
  void aFailedPreloadReportsItsCause() {
    KeyValueCalls refusing =
        new ScriptedCalls(
            () -> CompletableFuture.failedFuture(new IllegalStateException("The disk is full.")));
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      KvRun run = new KvRun(List.of(refusing), keys, progress, clock);

      assertThatThrownBy(() -> run.preload(16))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("The disk is full.");
    }
  }

  @Test
  void keysAreUniqueAndUseAllFirstBytes() {
    KeySpace many = new KeySpace(10_000);
    Set<Byte> firstBytes = new HashSet<>();
    Set<List<Byte>> all = new HashSet<>();
    for (int i = 0; i < many.count(); i++) {
      byte[] key = many.key(i);
      assertThat(key).hasSize(16);
      firstBytes.add(key[0]);
      all.add(Memory.boxed(key));
    }
    assertThat(firstBytes).hasSize(256);
    assertThat(all).hasSize(many.count());
  }

  @Test
  void comparedWorkloadsAreMeasuredInRounds() {
    assertThat(SliceSchedule.of(Duration.ofSeconds(10), 1).rounds()).isEqualTo(1);
    assertThat(SliceSchedule.of(Duration.ofSeconds(10), 2))
        .isEqualTo(new SliceSchedule(5, 200_000_000L, 2_000_000_000L));
    assertThat(SliceSchedule.of(Duration.ofSeconds(1), 2).rounds()).isEqualTo(1);
  }
}
