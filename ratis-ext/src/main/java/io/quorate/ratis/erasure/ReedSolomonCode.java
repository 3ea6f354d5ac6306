package io.quorate.ratis.erasure;

import com.backblaze.erasure.CodingLoop;
import com.backblaze.erasure.InputOutputByteTableCodingLoop;
import io.quorate.common.Bytes;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The code with the arithmetic of Backblaze's coder: one look-up in a table of products for each
 * byte and coefficient. It requires that the contents of all fragments begin at the same place of
 * their arrays; contents that do not begin at the start of an array are copied.
 */
public final class ReedSolomonCode extends SystematicCode {
  private static final CodingLoop LOOP = new InputOutputByteTableCodingLoop();

  public ReedSolomonCode(CodeShape shape) {
    super(shape);
  }

  @Override
  void combine(byte[][] rows, List<ByteBuffer> inputs, List<ByteBuffer> outputs) {
    int length = inputs.get(0).remaining();
    byte[][] from =
        inputs.stream()
            .map(input -> isUsable(input, length) ? input.array() : Bytes.of(input))
            .toArray(byte[][]::new);
    byte[][] to =
        outputs.stream()
            .map(output -> isUsable(output, length) ? output.array() : new byte[length])
            .toArray(byte[][]::new);
    LOOP.codeSomeShards(rows, from, from.length, to, to.length, 0, length);
    for (int i = 0; i < to.length; i++) {
      ByteBuffer output = outputs.get(i).duplicate();
      if (!isUsable(output, length)) {
        output.put(to[i], 0, output.remaining());
      }
    }
  }

  private static boolean isUsable(ByteBuffer buffer, int length) {
    return buffer.hasArray()
        && buffer.arrayOffset() + buffer.position() == 0
        && buffer.remaining() == length;
  }
}
