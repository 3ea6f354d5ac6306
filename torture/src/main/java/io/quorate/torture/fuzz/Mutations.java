package io.quorate.torture.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Changes kept inputs at random: what a decoder meets first is a length, a count, a tag or an end.
 */
final class Mutations {
  private static final int CHANGES_MAX = 4;
  private static final long[] LIMITS = {
    -1,
    0,
    1,
    2,
    127,
    128,
    255,
    256,
    Short.MAX_VALUE,
    65_536,
    Integer.MIN_VALUE,
    Integer.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MAX_VALUE
  };

  private final List<byte[]> corpus;
  private final Random random;

  Mutations(List<byte[]> corpus, long seed) {
    this.corpus = corpus;
    this.random = new Random(seed);
  }

  byte[] next() {
    byte[] input = any().clone();
    for (int left = 1 + random.nextInt(CHANGES_MAX); left > 0; left--) {
      input = changed(input);
    }
    return input;
  }

  private byte[] any() {
    return corpus.get(random.nextInt(corpus.size()));
  }

  private byte[] changed(byte[] input) {
    int at = random.nextInt(input.length + 1);
    int to = at + random.nextInt(input.length - at + 1);
    return switch (random.nextInt(6)) {
      case 0 -> Arrays.copyOf(input, at);
      case 1 -> joined(input, at, any(), 0);
      case 2 -> joined(input, to, input, at);
      case 3 -> joined(input, at, input, to);
      case 4 -> withLimit(input, at);
      default -> withByte(input, at);
    };
  }

  /** The beginning of one input, and the rest of another. */
  private static byte[] joined(byte[] first, int end, byte[] second, int from) {
    byte[] joined = Arrays.copyOf(first, end + second.length - from);
    System.arraycopy(second, from, joined, end, second.length - from);
    return joined;
  }

  private byte[] withByte(byte[] input, int at) {
    if (at < input.length) {
      input[at] =
          (byte) (random.nextBoolean() ? random.nextInt() : input[at] ^ 1 << random.nextInt(8));
    }
    return input;
  }

  private byte[] withLimit(byte[] input, int at) {
    long limit = LIMITS[random.nextInt(LIMITS.length)];
    ByteBuffer to = ByteBuffer.wrap(input).position(at);
    if (to.remaining() >= Long.BYTES && random.nextBoolean()) {
      to.putLong(limit);
    } else if (to.remaining() >= Integer.BYTES) {
      to.putInt((int) limit);
    } else if (to.hasRemaining()) {
      to.put((byte) limit);
    }
    return input;
  }
}
