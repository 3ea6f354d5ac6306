package io.quorate.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.CorruptedFrameException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FrameVerifierTest {
  private static final int HEADER_BYTES = 3;
  private static final int BODY_BYTES_MAX = 3000;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  static Stream<ByteBufAllocator> allocators() {
    return Stream.of(
        new UnpooledByteBufAllocator(false),
        new UnpooledByteBufAllocator(true),
        ByteBufAllocator.DEFAULT);
  }

  private ByteBuf content(int bytes) {
    byte[] content = new byte[bytes];
    random.nextBytes(content);
    return Unpooled.wrappedBuffer(content);
  }

  private static ByteBuf frame(ByteBufAllocator allocator, ByteBuf content) {
    return CheckedFrame.end(
        CheckedFrame.begin(allocator.buffer()).writeBytes(content.duplicate()), HEADER_BYTES);
  }

  /** Passes the bytes in parts of any size, as a decoder receives them. */
  private List<byte[]> receive(ByteBufAllocator allocator, ByteBuf stream) {
    FrameVerifier verifier = new FrameVerifier(HEADER_BYTES);
    ByteBuf in = allocator.buffer(stream.readableBytes());
    List<byte[]> frames = new ArrayList<>();
    while (stream.isReadable()) {
      in.writeBytes(stream, 1 + random.nextInt(Math.min(700, stream.readableBytes())));
      while (verifier.hasHeader(in) && verifier.hasFrame(in)) {
        ByteBuf frame = verifier.take(in);
        frames.add(ByteBufUtil.getBytes(frame));
        frame.release();
      }
    }
    in.release();
    return frames;
  }

  @ParameterizedTest
  @MethodSource("allocators")
  void framesThatArriveInPartsAreThoseThatWereWritten(ByteBufAllocator allocator) {
    ByteBuf stream = Unpooled.buffer();
    List<byte[]> written = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      ByteBuf content = content(HEADER_BYTES + random.nextInt(BODY_BYTES_MAX));
      written.add(ByteBufUtil.getBytes(content));
      ByteBuf frame = frame(allocator, content);
      stream.writeBytes(frame);
      frame.release();
    }
    assertThat(receive(allocator, stream)).as("seed %d", seed).containsExactlyElementsOf(written);
  }

  @Test
  void everyAlteredBitIsDetectedAndALengthBeforeItIsUsed() {
    ByteBuf intact = frame(UnpooledByteBufAllocator.DEFAULT, content(HEADER_BYTES + 20));
    for (int bit = 0; bit < intact.readableBytes() * Byte.SIZE; bit++) {
      ByteBuf altered = intact.copy();
      int at = bit / Byte.SIZE;
      altered.setByte(at, altered.getByte(at) ^ 1 << bit % Byte.SIZE);
      assertThatThrownBy(() -> receive(UnpooledByteBufAllocator.DEFAULT, altered))
          .as("bit %d, seed %d", bit, seed)
          .isInstanceOf(CorruptedFrameException.class);
    }
  }

  @Test
  void aFrameOfSeveralBuffersHasTheChecksumOfOne() {
    ByteBuf content = content(HEADER_BYTES + 500);
    ByteBuf expected = frame(UnpooledByteBufAllocator.DEFAULT, content);
    ByteBuf head =
        CheckedFrame.begin(Unpooled.buffer()).writeBytes(content.slice(0, HEADER_BYTES + 7));
    ByteBuf rest = content.slice(HEADER_BYTES + 7, 493);
    ByteBuf composite = Unpooled.wrappedBuffer(3, head.copy(), rest.copy());
    assertThat(CheckedFrame.end(composite, HEADER_BYTES)).isEqualTo(expected);

    ByteBuf parts = Unpooled.wrappedBuffer(rest.slice(0, 100), rest.slice(100, 393));
    int checksum = CheckedFrame.end(head, HEADER_BYTES, parts);
    ByteBuf end = Unpooled.buffer().writeInt(checksum);
    assertThat(Unpooled.wrappedBuffer(head, rest, end)).isEqualTo(expected);
  }
}
