package io.quorate.benchmarks.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.cli.ProgressLine;
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
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ClosedLoopTest {
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long NANOS_PER_LOOK = TimeUnit.MILLISECONDS.toNanos(1);

  private static final int KEYS = 100;

  private final Population keys = new Population(new KeySpace(KEYS));
  private final AtomicLong now = new AtomicLong();

  /** Time passes with every look at it, so that a slow machine makes no difference. */
  private final LongSupplier clock = () -> now.addAndGet(NANOS_PER_LOOK);

  /** Every call ends as the script says, at once. */
  private record Scripted(Supplier<CompletionStage<?>> end) implements KeyValueCalls {
    @Override
    public CompletionStage<?> put(byte[] key, byte[] value) {
      return end.get();
    }

    @Override
    public CompletionStage<?> get(byte[] key) {
      return end.get();
    }

    @Override
    public CompletionStage<?> delete(byte[] key) {
      return end.get();
    }

    @Override
    public CompletionStage<?> scan(byte[] start, int rows) {
      return end.get();
    }
  }

  /** Answers after a moment, and knows how many calls it had at a time. */
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
      return answer();
    }

    @Override
    public CompletionStage<?> get(byte[] key) {
      gets.increment();
      return answer();
    }

    @Override
    public CompletionStage<?> delete(byte[] key) {
      deletes.increment();
      return answer();
    }

    @Override
    public CompletionStage<?> scan(byte[] start, int rows) {
      scannedRows.add(rows);
      return answer();
    }

    private CompletionStage<?> answer() {
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
    WorkloadStats tally = new WorkloadStats();

    new ClosedLoop(List.of(memory), keys, clock, 1)
        .run(new Workload(Operations.PUT, 7, 16, 0), 0, SLICE_NANOS, tally)
        .join();

    assertThat(memory.inFlightMax.get()).isBetween(1, 7);
    assertThat(memory.inFlight.get()).isZero();
    assertThat(tally.all().count()).isPositive().isLessThanOrEqualTo(memory.puts.sum());
    assertThat(memory.gets.sum()).isZero();
    assertThat(tally.throughput()).isPositive();
  }

  @Test
  void eachCallCountsInThePartOfTheTimeInWhichItEnded() {
    KeyValueCalls immediate = new Scripted(() -> CompletableFuture.completedFuture(null));
    List<WorkloadStats> halves = List.of(new WorkloadStats(), new WorkloadStats());

    new ClosedLoop(List.of(immediate), keys, clock, 1)
        .run(
            new Workload(Operations.PUT, 1, 16, 0),
            0,
            SLICE_NANOS,
            elapsed -> halves.get(elapsed < SLICE_NANOS / 2 ? 0 : 1))
        .join();

    // One look when a call is sent and one when it has ended, a millisecond each.
    assertThat(halves.get(0).all().count()).isBetween(20L, 30L);
    assertThat(halves.get(1).all().count()).isBetween(20L, 30L);
  }

  @Test
  void callsThatAreAnsweredAtOnceDoNotPileUp() {
    KeyValueCalls immediate = new Scripted(() -> CompletableFuture.completedFuture(null));
    WorkloadStats tally = new WorkloadStats();

    new ClosedLoop(List.of(immediate), keys, clock, 1)
        .run(new Workload(Operations.MIXED, 2, 16, 0.5), 0, SLICE_NANOS, tally)
        .join();

    assertThat(tally.reads().count()).isPositive();
    assertThat(tally.writes().count()).isPositive();
    assertThat(tally.all().count()).isEqualTo(tally.reads().count() + tally.writes().count());
  }

  @Test
  void failuresAreCountedAndTheClientGoesOn() {
    AtomicInteger calls = new AtomicInteger();
    KeyValueCalls failing =
        new Scripted(
            () ->
                calls.incrementAndGet() % 2 == 1
                    ? CompletableFuture.failedFuture(new IllegalStateException("refused"))
                    : CompletableFuture.completedFuture(null));
    WorkloadStats tally = new WorkloadStats();

    new ClosedLoop(List.of(failing), keys, clock, 1)
        .run(new Workload(Operations.PUT, 1, 16, 0), 0, SLICE_NANOS, tally)
        .join();

    assertThat(tally.errors()).isPositive();
    assertThat(tally.firstError()).get().hasToString("java.lang.IllegalStateException: refused");
  }

  @Test
  void everyKindOfCallIsSentAndCountedWhereItBelongs() {
    Memory memory = new Memory();
    WorkloadStats tally = new WorkloadStats();
    Mix mix =
        new Mix(
            Map.of(
                CallKind.INSERT, 0.25,
                CallKind.DELETE, 0.25,
                CallKind.SCAN, 0.25,
                CallKind.READ_MODIFY_WRITE, 0.25));

    new ClosedLoop(List.of(memory), keys, clock, 1)
        .run(new Workload("all", mix, KeyChoice.LATEST, 4, 16), 0, 10 * SLICE_NANOS, tally)
        .join();

    assertThat(memory.deletes.sum()).isPositive();
    assertThat(memory.scannedRows)
        .isNotEmpty()
        .allMatch(rows -> rows >= 1 && rows <= Workload.SCAN_ROWS_MAX);
    assertThat(tally.scans().count()).isPositive();
    // A read-modify-write is one call, and both a read and a write.
    assertThat(tally.reads().count()).isPositive().isLessThanOrEqualTo(memory.gets.sum());
    assertThat(tally.writes().count())
        .isPositive()
        .isLessThanOrEqualTo(memory.puts.sum() + memory.deletes.sum());
    assertThat(tally.all().count()).isEqualTo(tally.writes().count() + tally.scans().count());
    assertThat(memory.written).anyMatch(key -> key.equals(Memory.boxed(keys.key(KEYS))));
  }

  @Test
  void workloadsTakeTurnsAndFindTheirKeysWritten() throws IOException, InterruptedException {
    Memory memory = new Memory();
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      KvRun run = new KvRun(List.of(memory), keys, progress, clock);
      run.preload(16);
      assertThat(memory.written).hasSize(KEYS);

      Workload one = new Workload(Operations.GET, 1, 16, 1);
      Workload two = new Workload(Operations.GET, 2, 16, 1);
      Map<Workload, WorkloadStats> tallies =
          run.measure(List.of(one, two), Duration.ZERO, Duration.ofMillis(100));

      assertThat(tallies.keySet()).containsExactly(one, two);
      assertThat(tallies.values()).allMatch(tally -> tally.all().count() > 0);
      assertThat(memory.puts.sum()).isEqualTo(KEYS);
    }
  }

  @Test
  void aPreloadThatFailsSaysWhy() {
    KeyValueCalls refusing =
        new Scripted(
            () -> CompletableFuture.failedFuture(new IllegalStateException("The disk is full.")));
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      KvRun run = new KvRun(List.of(refusing), keys, progress, clock);

      assertThatThrownBy(() -> run.preload(16))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("The disk is full.");
    }
  }

  @Test
  void keysAreDifferentAndSpreadOverTheFirstBytes() {
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
  void whatIsComparedIsCutIntoRounds() {
    assertThat(Schedule.of(Duration.ofSeconds(10), 1).rounds()).isEqualTo(1);
    assertThat(Schedule.of(Duration.ofSeconds(10), 2))
        .isEqualTo(new Schedule(5, 200_000_000L, 2_000_000_000L));
    assertThat(Schedule.of(Duration.ofSeconds(1), 2).rounds()).isEqualTo(1);
  }
}
