package io.quorate.benchmarks.micro;

import io.quorate.client.QuorateClient;
import io.quorate.model.Position;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
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
 * A call of an application from end to end: one at a time, and 256 at once, of 1 KiB values to a
 * cluster of processes on this machine. With {@code -prof gc} it says what a call allocates in the
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
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Param("raft")
  private String preset;

  @Param("3")
  private int nodes;

  private final byte[] value = new byte[VALUE_BYTES];
  private final byte[][] keys = new byte[BURST][];
  private ProcessCluster cluster;
  private QuorateClient client;

  @Setup(Level.Trial)
  public void start() throws IOException {
    Path directory = Path.of(System.getProperty("java.io.tmpdir"));
    cluster = ProcessCluster.temporary(directory, new Shape(nodes, 1, preset));
    cluster.start();
    cluster.awaitServing(PATIENCE);
    client = QuorateClient.connect(cluster.plan().clientAddresses());
    for (int i = 0; i < BURST; i++) {
      keys[i] = ("key" + i).getBytes(StandardCharsets.UTF_8);
      client.put(keys[i], value);
    }
  }

  @TearDown(Level.Trial)
  public void stop() {
    client.close();
    cluster.close();
  }

  @Benchmark
  public Position put() {
    return client.put(keys[0], value);
  }

  @Benchmark
  public Optional<byte[]> get() {
    return client.get(keys[0]);
  }

  @Benchmark
  @OperationsPerInvocation(BURST)
  public void putsAtOnce() {
    atOnce(key -> client.async().put(key, value));
  }

  @Benchmark
  @OperationsPerInvocation(BURST)
  public void getsAtOnce() {
    atOnce(key -> client.async().get(key));
  }

  private void atOnce(Function<byte[], CompletableFuture<?>> call) {
    CompletableFuture.allOf(Stream.of(keys).map(call).toArray(CompletableFuture<?>[]::new)).join();
  }
}
