package io.quorate.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.protocol.frame.FrameVerifier;
import io.quorate.protocol.wire.Frames;
import java.util.Optional;

/** Reads what a server has sent through an embedded channel. */
public final class SentFrame {
  private SentFrame() {}

  /** Header and body of the next frame, whose checks are right; empty if there is none. */
  public static Optional<ByteBuf> next(EmbeddedChannel channel) {
    ByteBuf sent = channel.readOutbound();
    if (sent == null) {
      return Optional.empty();
    }
    FrameVerifier verifier = new FrameVerifier(Frames.HEADER_BYTES);
    assertThat(verifier.hasHeader(sent) && verifier.hasFrame(sent)).isTrue();
    ByteBuf frame = verifier.take(sent);
    assertThat(sent.isReadable()).isFalse();
    sent.release();
    return Optional.of(frame);
  }
}
