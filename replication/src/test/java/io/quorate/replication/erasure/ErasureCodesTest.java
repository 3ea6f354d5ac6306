package io.quorate.replication.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class ErasureCodesTest {
  private static final CodeShape SHAPE = new CodeShape(2, 1);
  private static final int NANOS_BETWEEN_READINGS = 10;

  private final ErasureCodes codes = new ErasureCodes();
  private final AtomicLong nanos = new AtomicLong();
  private final LongSupplier clock = () -> nanos.addAndGet(NANOS_BETWEEN_READINGS);

  @Test
  void withoutATrialTheCodeUsesTables() {
    assertThat(codes.code(SHAPE)).isInstanceOf(ReedSolomonCode.class);
    assertThat(codes.code(SHAPE)).isSameAs(codes.code(SHAPE));
    assertThat(codes.code(SHAPE).shape()).isEqualTo(SHAPE);
  }

  @Test
  void afterATrialTheFasterImplementationIsUsedForEveryShape() {
    codes.code(SHAPE);
    codes.select(shape -> new TimedCode(shape, -1), clock);
    assertThat(codes.code(SHAPE)).isInstanceOf(TimedCode.class);
    assertThat(codes.code(new CodeShape(3, 4)).shape()).isEqualTo(new CodeShape(3, 4));
  }

  @Test
  void aSlowerImplementationIsNotUsed() {
    codes.select(shape -> new TimedCode(shape, 1), clock);
    assertThat(codes.code(SHAPE)).isInstanceOf(ReedSolomonCode.class);
  }

  /** An implementation whose encoding takes this much longer than that with tables. */
  private final class TimedCode implements ErasureCode {
    private final ErasureCode tables;
    private final long extraNanos;

    TimedCode(CodeShape shape, long extraNanos) {
      this.tables = new ReedSolomonCode(shape);
      this.extraNanos = extraNanos;
    }

    @Override
    public CodeShape shape() {
      return tables.shape();
    }

    @Override
    public List<Fragment> encode(ByteBuffer value) {
      nanos.addAndGet(extraNanos);
      return tables.encode(value);
    }

    @Override
    public ByteBuffer decode(Collection<Fragment> fragments, int valueBytes) {
      return tables.decode(fragments, valueBytes);
    }

    @Override
    public Fragment reconstruct(Collection<Fragment> fragments, int index, int valueBytes) {
      return tables.reconstruct(fragments, index, valueBytes);
    }
  }
}
