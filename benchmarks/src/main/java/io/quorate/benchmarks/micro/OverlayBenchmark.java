package io.quorate.benchmarks.micro;

import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.read.ScanPlan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Reads over committed changes that wait to be applied: scans of rows of which every second one is
 * to be removed, and a get of a key with 4096 pending increments.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class OverlayBenchmark {
  private static final int START = 1_000;
  private static final int INCREMENTS = 4_096;
  private static final int PAGE_BYTES = 1 << 20;
  private static final int COUNTER = StoredRegion.ROWS;

  @Param({"10", "100"})
  private int rows;

  @Param({"0", "10", "100", "1000"})
  private int removals;

  private final CountDownLatch end = new CountDownLatch(1);
  private final KeyRange range = KeyRange.from(StoredRegion.key(START));
  private StoredRegion region;

  @Setup(Level.Trial)
  public void prepare() throws IOException {
    region = StoredRegion.open(StorageOptions.Scans.COST_MODEL);
    region.beforeApplying((point, subject) -> awaitEnd());
    List<Operation> changes = new ArrayList<>();
    for (int i = 0; i < removals; i++) {
      changes.add(StoredRegion.delete(START + 2 * i));
    }
    for (int i = 0; i < INCREMENTS; i++) {
      changes.add(new Operation.Increment(StoredRegion.key(COUNTER), 1));
    }
    region.commit(changes);
  }

  private void awaitEnd() {
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @TearDown(Level.Trial)
  public void close() throws IOException {
    end.countDown();
    region.close();
  }

  @Benchmark
  public ScanPage merge() {
    return region.store().scan(range, rows, PAGE_BYTES);
  }

  /** Plans the scan, and then reads immediately regardless of the plan. */
  @Benchmark
  public ScanPage immediate() {
    ScanPlan plan = region.store().planScan(range, ScanOrder.FORWARD, rows);
    return region
        .store()
        .scan(
            range,
            rows,
            PAGE_BYTES,
            new ScanPlan(ScanPlan.Way.IMMEDIATE, Position.NONE, plan.stateRows()));
  }

  @Benchmark
  public Optional<byte[]> hotKey() {
    return region.store().get(StoredRegion.key(COUNTER));
  }
}
