package io.quorate.benchmarks.micro;

import io.quorate.server.logging.ServerLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A call of an application from end to end: one at a time, and 256 at once, of 1 KiB values to
 * processes on this machine, by the Java client of each database: a cluster of Quorate, three
 * members of etcd by jetcd, and one node of Redis, which is not replicated, by Lettuce. All sync
 * each write before they respond. With {@code -prof gc} it says what a call allocates in the
 * application.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 6, time = 5)
@Measurement(iterations = 5, time = 3)
public class CallsBenchmark {
  private static final int BURST = 256;
  private static final int VALUE_BYTES = 1 << 10;

  /** The name of our client; the others are those of {@link ClientOfPeer#databases}. */
  static final String QUORATE = "quorate";

  @Param({QUORATE, "jetcd", "lettuce"})
  private String client;

  /** Of Quorate only. */
  @Param("raft")
  private String preset;

  /** Of Quorate only; etcd has three. */
  @Param("3")
  private int nodes;

  private final byte[] value = new byte[VALUE_BYTES];
  private final byte[][] keys = new byte[BURST][];
  private BenchmarkedClient calls;

  @Setup(Level.Trial)
  public void start() throws IOException, InterruptedException {
    // JMH starts its JVMs without our main class: Logback would print what is for debugging.
    ServerLog.use();
    Path directory = Path.of(System.getProperty("java.io.tmpdir"));
    calls =
        client.equals(QUORATE)
            ? ClientOfQuorate.start(directory, preset, nodes)
            : ClientOfPeer.start(ClientOfPeer.databases().get(client), directory);
    for (int i = 0; i < BURST; i++) {
      keys[i] = ("key" + i).getBytes(StandardCharsets.UTF_8);
      calls.put(keys[i], value);
    }
  }

  @TearDown(Level.Trial)
  public void stop() {
    calls.close();
  }

  @Benchmark
  public Object put() {
    return calls.put(keys[0], value);
  }

  @Benchmark
  public Object get() {
    return calls.get(keys[0]);
  }

  @Benchmark
  @OperationsPerInvocation(BURST)
  public void putsAtOnce() {
    atOnce(key -> calls.putAsync(key, value));
  }

  @Benchmark
  @OperationsPerInvocation(BURST)
  public void getsAtOnce() {
    atOnce(key -> calls.getAsync(key));
  }

  private void atOnce(Function<byte[], CompletableFuture<?>> call) {
    CompletableFuture.allOf(Stream.of(keys).map(call).toArray(CompletableFuture<?>[]::new)).join();
  }
}
