package io.quorate.replication.erasure;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The erasure codes of a process. They use tables until {@link #selectFaster} has found that vector
 * instructions are faster here. Thread-safe.
 */
public final class ErasureCodes {
  private static final Logger LOG = LoggerFactory.getLogger(ErasureCodes.class);

  private static final CodeShape TRIAL_SHAPE = new CodeShape(3, 2);
  private static final int TRIAL_BYTES = 16 << 10;

  /** Several times as many as the JVM needs to compile the arithmetic. */
  private static final int TRIAL_ROUNDS_MAX = 2048;

  /** The level of compilation of HotSpot's second compiler, C2. */
  private static final int SECOND_COMPILER = 4;

  /** The codes of one implementation; few shapes are in use at a time. */
  private record Implementation(
      Function<CodeShape, ErasureCode> create, Map<CodeShape, ErasureCode> created) {
    Implementation(Function<CodeShape, ErasureCode> create) {
      this(create, new ConcurrentHashMap<>());
    }

    ErasureCode code(CodeShape shape) {
      return created.computeIfAbsent(shape, create);
    }
  }

  private volatile Implementation selected = new Implementation(ReedSolomonCode::new);

  /**
   * The code of a shape that is the fastest one known. Operations should obtain it anew: it changes
   * once. Does not block; the first call for a shape computes its coefficients.
   */
  public ErasureCode code(CodeShape shape) {
    return selected.code(shape);
  }

  /**
   * Tries both implementations, by which the JVM compiles them, and selects the faster one for all
   * later calls of {@link #code}. Occupies the calling thread for up to several seconds; in a JVM
   * that cannot run vector instructions it returns at once.
   */
  public void selectFaster() {
    if (!VectorReedSolomonCode.isAvailable()) {
      LOG.info("Erasure codes use tables: the JVM runs without {}", VectorReedSolomonCode.MODULE);
    } else if (!hasSecondCompiler()) {
      LOG.info("Erasure codes use tables: the JVM runs without its second compiler");
    } else {
      select(VectorReedSolomonCode::new, System::nanoTime);
    }
  }

  /** Only this compiler of the HotSpot JVM knows vectors; for another JVM the trial decides. */
  private static boolean hasSecondCompiler() {
    HotSpotDiagnosticMXBean flags =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    try {
      return flags == null
          || Integer.parseInt(flags.getVMOption("TieredStopAtLevel").getValue()) >= SECOND_COMPILER;
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  void select(Function<CodeShape, ErasureCode> candidate, LongSupplier nanoTime) {
    ByteBuffer value = ByteBuffer.allocate(TRIAL_BYTES);
    ErasureCode vectors = candidate.apply(TRIAL_SHAPE);
    ErasureCode tables = new ReedSolomonCode(TRIAL_SHAPE);
    boolean isFaster =
        SpeedTrial.isFaster(
            () -> vectors.encode(value), () -> tables.encode(value), TRIAL_ROUNDS_MAX, nanoTime);
    if (isFaster) {
      selected = new Implementation(candidate);
    }
    LOG.info(
        "Erasure codes use {}",
        isFaster ? "vector instructions" : "tables: vector instructions are slower here");
  }
}
