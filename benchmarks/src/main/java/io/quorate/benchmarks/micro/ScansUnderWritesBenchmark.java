package io.quorate.benchmarks.micro;

import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.read.ReadStatistics;
import io.quorate.storage.read.ScanPlan;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * A scan of 50 rows while another thread commits as fast as back-pressure permits: one put or
 * removal per position, half of each, on 2000 keys of which the scan reads the first.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ScansUnderWritesBenchmark {
  private static final int KEYS = 2_000;
  private static final int SCANNED = 50;
  private static final int PAGE_BYTES = 1 << 20;

  @Param private StorageOptions.Scans scans;

  /** Additional time of each write to RocksDB. */
  @Param({"0", "1000"})
  private int applyMicros;

  private final KeyRange range = KeyRange.ALL;
  private volatile boolean stopped;
  private StoredRegion region;
  private Thread writer;

  @Setup(Level.Trial)
  public void prepare() throws IOException {
    region = StoredRegion.open(scans);
    if (applyMicros > 0) {
      region.beforeApplying(
          (point, subject) -> LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(applyMicros)));
    }
    writer = new Thread(this::write, "writer");
    writer.start();
  }

  private void write() {
    SplittableRandom random = new SplittableRandom(1);
    while (!stopped) {
      int key = random.nextInt(KEYS);
      Operation change = random.nextBoolean() ? StoredRegion.put(key) : StoredRegion.delete(key);
      region.commit(List.of(change));
    }
  }

  @TearDown(Level.Trial)
  public void close() throws IOException, InterruptedException {
    stopped = true;
    writer.join();
    ReadStatistics reads = region.store().reads();
    System.out.println(reads);
    region.close();
  }

  @Benchmark
  public ScanPage scan() {
    ScanPlan plan = region.store().planScan(range, ScanOrder.FORWARD, SCANNED);
    region.store().awaitScan(plan).toCompletableFuture().join();
    return region.store().scan(range, SCANNED, PAGE_BYTES, plan);
  }
}
