package io.quorate.benchmarks.micro;

import io.quorate.common.Bytes;
import io.quorate.replication.erasure.CodeShape;
import io.quorate.replication.erasure.CodedValue;
import io.quorate.replication.erasure.ErasureCode;
import io.quorate.replication.erasure.Fragment;
import io.quorate.replication.erasure.ReedSolomonCode;
import io.quorate.replication.erasure.ValueCoder;
import io.quorate.replication.erasure.VectorReedSolomonCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
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

/**
 * Encoding of values, and their decoding from as many parity fragments as possible, with and
 * without checksums.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"--add-modules", "jdk.incubator.vector"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ErasureCodeBenchmark {
  /** The implementations. */
  public enum Arithmetic {
    TABLES(ReedSolomonCode::new),
    VECTORS(VectorReedSolomonCode::new);

    private final Function<CodeShape, ErasureCode> create;

    Arithmetic(Function<CodeShape, ErasureCode> create) {
      this.create = create;
    }
  }

  /** The shapes. */
  public enum Shape {
    K3_M2(new CodeShape(3, 2)),
    K3_M4(new CodeShape(3, 4));

    private final CodeShape numbers;

    Shape(CodeShape numbers) {
      this.numbers = numbers;
    }
  }

  @Param({"TABLES", "VECTORS"})
  private Arithmetic arithmetic;

  @Param({"K3_M2", "K3_M4"})
  private Shape shape;

  @Param({"16384", "262144", "1048576"})
  private int valueBytes;

  private ErasureCode code;
  private ValueCoder coder;
  private ByteBuffer value;
  private CodedValue coded;
  private List<Fragment> received;

  @Setup
  public void prepare() {
    code = arithmetic.create.apply(shape.numbers);
    coder = new ValueCoder(ignored -> code);
    byte[] bytes = new byte[valueBytes];
    new SplittableRandom(1).nextBytes(bytes);
    value = ByteBuffer.wrap(bytes);
    coded = coder.encode(value, shape.numbers);
    received =
        coded.fragments().stream()
            .skip(shape.numbers.fragments() - shape.numbers.dataFragments())
            .map(part -> new Fragment(part.index(), ByteBuffer.wrap(Bytes.of(part.bytes()))))
            .toList();
  }

  @Benchmark
  public List<Fragment> encode() {
    return code.encode(value);
  }

  @Benchmark
  public ByteBuffer decode() {
    return code.decode(received, valueBytes);
  }

  @Benchmark
  public CodedValue encodeWithChecksums() {
    return coder.encode(value, shape.numbers);
  }

  @Benchmark
  public ByteBuffer decodeWithChecksums() throws IOException {
    return coder.decode(coded.header().verify(received));
  }
}
