package io.quorate.benchmarks.micro;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Routing;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Encoding and decoding of the body of a read, and of the response to a scan of 100 rows. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class DataFramesBenchmark {
  private static final int KEY_BYTES = 16;
  private static final int VALUE_BYTES = 128;
  private static final int ROWS = 100;
  private static final Routing ROUTING = new Routing(1, 1, 2_000);

  private final DataFrames.Get get =
      new DataFrames.Get(Guarantee.LINEARIZABLE, Key.wrap(new byte[KEY_BYTES]));
  private ScanPage page;
  private ByteBuf frame;
  private ByteBuf encodedPage;

  @Setup
  public void prepare() {
    List<ScanPage.Row> rows =
        IntStream.range(0, ROWS)
            .mapToObj(i -> Key.wrap(ByteBuffer.allocate(KEY_BYTES).putInt(i).array()))
            .map(key -> new ScanPage.Row(key, ByteBuffer.wrap(new byte[VALUE_BYTES])))
            .toList();
    page = new ScanPage(rows, Optional.empty());
    frame = Unpooled.directBuffer(DataFrames.size(page));
    encodedPage = Unpooled.directBuffer(DataFrames.size(page));
    DataFrames.writePage(encodedPage, page);
  }

  @Benchmark
  public DataFrames.Get getThereAndBack() {
    frame.clear();
    DataFrames.writeRouting(frame, ROUTING);
    DataFrames.writeGet(frame, get);
    DataFrames.readRouting(frame);
    return DataFrames.readGet(frame);
  }

  @Benchmark
  public ByteBuf writePage() {
    frame.clear();
    DataFrames.writePage(frame, page);
    return frame;
  }

  @Benchmark
  public ScanPage readPage() {
    return DataFrames.readPage(encodedPage.duplicate());
  }
}
