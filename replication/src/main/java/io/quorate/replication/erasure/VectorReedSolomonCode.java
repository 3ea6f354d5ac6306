package io.quorate.replication.erasure;

import io.quorate.common.Bytes;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The code with vector instructions. It needs the module {@value #MODULE}, which a JVM has only if
 * it was started with {@code --add-modules}. Until the second compiler of the JVM has compiled the
 * arithmetic, and in a JVM without that compiler, it is slower than {@link ReedSolomonCode} by two
 * orders of magnitude: {@link ErasureCodes} therefore selects by measurement.
 */
public final class VectorReedSolomonCode extends SystematicCode {
  static final String MODULE = "jdk.incubator.vector";

  /** So much of an output stays in the first cache while all inputs are added to it. */
  private static final int BLOCK_BYTES = 8 << 10;

  /**
   * @throws IllegalStateException unless it {@linkplain #isAvailable is available}
   */
  public VectorReedSolomonCode(CodeShape shape) {
    super(shape);
    if (!isAvailable()) {
      throw new IllegalStateException("This JVM runs without the module " + MODULE);
    }
  }

  /** Whether the JVM was started with the module that this class needs. */
  public static boolean isAvailable() {
    return ModuleLayer.boot().findModule(MODULE).isPresent();
  }

  @Override
  void combine(byte[][] rows, List<ByteBuffer> inputs, List<ByteBuffer> outputs) {
    List<ByteBuffer> from =
        inputs.stream()
            .map(input -> input.hasArray() ? input : ByteBuffer.wrap(Bytes.of(input)))
            .toList();
    int length = outputs.stream().mapToInt(ByteBuffer::remaining).max().orElse(0);
    for (int start = 0; start < length; start += BLOCK_BYTES) {
      for (int o = 0; o < rows.length; o++) {
        int left = Math.min(BLOCK_BYTES, outputs.get(o).remaining() - start);
        for (int i = 0; i < rows[o].length; i++) {
          int count = Math.min(left, from.get(i).remaining() - start);
          if (count > 0) {
            addProduct(rows[o][i], from.get(i), outputs.get(o), start, count);
          }
        }
      }
    }
  }

  private static void addProduct(
      byte coefficient, ByteBuffer from, ByteBuffer to, int start, int count) {
    VectorMultiplication.addProduct(
        coefficient,
        from.array(),
        from.arrayOffset() + from.position() + start,
        to.array(),
        to.arrayOffset() + to.position() + start,
        count);
  }
}
