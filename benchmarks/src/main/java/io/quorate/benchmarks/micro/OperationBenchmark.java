package io.quorate.benchmarks.micro;

import io.quorate.model.Key;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Encoding and decoding of a put in the format of frames and of the log. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class OperationBenchmark {
  private static final int KEY_BYTES = 16;

  @Param({"64", "1024"})
  private int valueBytes;

  private ClientCommand put;
  private ByteBuffer encoded;
  private ByteBuffer target;

  @Setup
  public void prepare() {
    Key key = Key.wrap(new byte[KEY_BYTES]);
    ByteBuffer value = ByteBuffer.wrap(new byte[valueBytes]);
    put = new ClientCommand(new RequestId(ClientId.random(), 9, 1), new Operation.Put(key, value));
    encoded = put.encoded();
    target = ByteBuffer.allocate(put.size());
  }

  @Benchmark
  public ByteBuffer encode() {
    target.clear();
    put.encode(target);
    return target;
  }

  @Benchmark
  public ClientCommand decode() {
    return ClientCommand.decode(encoded);
  }
}
