package io.quorate.replication.erasure;

import com.backblaze.erasure.CodingLoop;
import com.backblaze.erasure.InputOutputByteTableCodingLoop;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The code with the arithmetic of Backblaze's coder: one look-up in a table of products for each
 * byte and coefficient. That coder requires arrays of equal lengths, so contents are copied in
 * blocks of a fixed size: what is allocated does not depend on the length of the value.
 */
public final class ReedSolomonCode extends SystematicCode {
  private static final CodingLoop LOOP = new InputOutputByteTableCodingLoop();

  /** The blocks of a common shape stay in the second cache of a processor. */
  private static final int BLOCK_BYTES = 32 << 10;

  public ReedSolomonCode(CodeShape shape) {
    super(shape);
  }

  @Override
  void combine(byte[][] rows, List<ByteBuffer> inputs, List<ByteBuffer> outputs) {
    int length = outputs.stream().mapToInt(ByteBuffer::remaining).max().orElse(0);
    int block = Math.min(BLOCK_BYTES, length);
    byte[][] from = new byte[inputs.size()][block];
    byte[][] to = new byte[outputs.size()][block];
    for (int start = 0; start < length; start += block) {
      for (int i = 0; i < from.length; i++) {
        int count = count(inputs.get(i), start, block);
        inputs
            .get(i)
            .get(
                inputs.get(i).position() + Math.min(start, inputs.get(i).remaining()),
                from[i],
                0,
                count);
        Arrays.fill(from[i], count, block, (byte) 0);
      }
      LOOP.codeSomeShards(rows, from, from.length, to, to.length, 0, block);
      for (int i = 0; i < to.length; i++) {
        ByteBuffer output = outputs.get(i);
        int count = count(output, start, block);
        if (count > 0) {
          output.put(output.position() + start, to[i], 0, count);
        }
      }
    }
  }

  /** The length of the part of a block that a content has. */
  private static int count(ByteBuffer content, int start, int block) {
    return Math.max(0, Math.min(block, content.remaining() - start));
  }
}
