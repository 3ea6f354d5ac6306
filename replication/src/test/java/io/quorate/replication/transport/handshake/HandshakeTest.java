package io.quorate.replication.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.common.DecodeException;
import io.quorate.consensus.Starts;
import io.quorate.model.NodeId;
import io.quorate.protocol.frame.CheckedFrame;
import io.quorate.protocol.frame.FrameChecksum;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class HandshakeTest {
  private static final UnpooledByteBufAllocator HEAP = new UnpooledByteBufAllocator(false, true);
  private static final String ENGINE = "Rabia";
  private static final UUID FOUNDING = new UUID(7, 8);
  private static final Handshake.Hello HELLO =
      new Handshake.Hello(
          Handshake.Purpose.CONSENSUS_REQUESTS,
          new LocalIdentity(
              new UUID(1, -1),
              Optional.of(new UUID(5, 6)),
              new NodeId("n1"),
              new UUID(-2, 2),
              Starts.NONE.next(Long.MIN_VALUE)),
          new NodeId("a.node-with_a-long-name"));

  @Test
  void decodedFramesEqualTheEncodedOnes() throws Handshake.RefusalException {
    assertThat(Handshake.readHello(body(HELLO, FrameType.HELLO), ENGINE)).isEqualTo(HELLO);
    Handshake.Welcome welcome =
        new Handshake.Welcome(
            Optional.empty(), new NodeId("n2"), new UUID(3, 4), Starts.NONE.next(-1).next(8));
    assertThat(Handshake.readWelcome(body(welcome, FrameType.WELCOME))).isEqualTo(welcome);
    Handshake.Refused refused = new Handshake.Refused(RefusalReason.DISK, "Nö.");
    assertThat(Handshake.readRefused(body(refused, FrameType.REFUSED))).isEqualTo(refused);
  }

  @Test
  void newsAreDecodedAndMalformedOnesRejected() {
    Starts starts = Starts.NONE.next(-1).renewed().next(8).renewed().renewed();
    assertThat(Handshake.readNews(newsOf(starts)))
        .isEqualTo(new Handshake.News(Optional.of(FOUNDING), starts));
    ByteBuf negative = newsOf(starts);
    negative.setInt(negative.writerIndex() - Integer.BYTES, -1);
    assertMalformed(negative);
    assertMalformed(newsOf(starts).writeByte(0));
    for (int length = 0; length < newsOf(starts).readableBytes(); length++) {
      ByteBuf whole = newsOf(starts);
      assertMalformed(whole.slice(whole.readerIndex(), length));
    }
  }

  private static void assertMalformed(ByteBuf frame) {
    assertThatThrownBy(() -> Handshake.readNews(frame)).isInstanceOf(DecodeException.class);
  }

  /** The body of a frame, without its length, check and checksum. */
  private static ByteBuf newsOf(Starts starts) {
    ByteBuf frame = Handshake.news(HEAP, new Handshake.News(Optional.of(FOUNDING), starts));
    frame.skipBytes(CheckedFrame.PREFIX_BYTES);
    assertThat(PeerFrames.readType(frame)).isEqualTo(FrameType.STARTS);
    return frame.writerIndex(frame.writerIndex() - FrameChecksum.BYTES);
  }

  @Test
  void aGreetingWithAsManyStartsAsAreKeptFitsItsBound() {
    Starts starts = Starts.NONE;
    for (int i = 0; i < 2 * Starts.KEPT_MAX; i++) {
      starts = starts.next(i);
    }
    NodeId longest = new NodeId("n".repeat(64));
    LocalIdentity from = new LocalIdentity(new UUID(1, 2), longest, new UUID(3, 4), starts);
    ByteBuf frame = new Handshake.Hello(Handshake.Purpose.MESSAGES, from, longest).greeting(HEAP);
    assertThat(frame.readableBytes()).isLessThanOrEqualTo(PeerFrames.HANDSHAKE_BYTES_MAX);
  }

  @Test
  void aHandshakeFrameFitsItsBoundWithAnyDetail() {
    ByteBuf frame = new Handshake.Refused(RefusalReason.NODE, "x".repeat(100_000)).greeting(HEAP);
    assertThat(frame.readableBytes()).isLessThanOrEqualTo(PeerFrames.HANDSHAKE_BYTES_MAX);
  }

  @Test
  void truncatedAndExtendedFramesAreMalformed() {
    ByteBuf whole = body(HELLO, FrameType.HELLO);
    for (int length = 0; length < whole.readableBytes(); length++) {
      ByteBuf truncated = whole.slice(whole.readerIndex(), length);
      assertThatThrownBy(() -> Handshake.readHello(truncated, ENGINE))
          .as("first %d bytes", length)
          .isInstanceOf(DecodeException.class);
    }
    ByteBuf extended = whole.copy().writeByte(0);
    assertThatThrownBy(() -> Handshake.readHello(extended, ENGINE))
        .isInstanceOf(DecodeException.class);
  }

  @Test
  void otherProtocolsAndVersionsAreRecognizedWhateverFollows() {
    ByteBuf other = body(HELLO, FrameType.HELLO);
    other.setInt(other.readerIndex(), 0x47455420);
    assertRefused(other, "port for nodes");
    ByteBuf newer = body(HELLO, FrameType.HELLO).slice().copy(0, Integer.BYTES + 1);
    newer.setByte(Integer.BYTES, Handshake.VERSION + 1);
    assertRefused(newer, "version " + (Handshake.VERSION + 1));
  }

  private static void assertRefused(ByteBuf body, String detail) {
    assertThatThrownBy(() -> Handshake.readHello(body, ENGINE))
        .isInstanceOfSatisfying(
            Handshake.RefusalException.class,
            e -> assertThat(e.refused().reason()).isEqualTo(RefusalReason.VERSION))
        .hasMessageContaining(detail);
  }

  @Test
  void invalidValuesAreMalformed() {
    ByteBuf purpose = body(HELLO, FrameType.HELLO);
    purpose.setByte(purpose.readerIndex() + Integer.BYTES + 1, 9);
    assertThatThrownBy(() -> Handshake.readHello(purpose, ENGINE))
        .isInstanceOf(DecodeException.class);
    ByteBuf node = body(HELLO, FrameType.HELLO);
    node.setByte(node.readerIndex() + Integer.BYTES + 2 + 2 * 16 + 1, ' ');
    assertThatThrownBy(() -> Handshake.readHello(node, ENGINE)).isInstanceOf(DecodeException.class);
    ByteBuf reason = body(new Handshake.Refused(RefusalReason.BUSY, ""), FrameType.REFUSED);
    reason.setByte(reason.readerIndex(), 99);
    assertThatThrownBy(() -> Handshake.readRefused(reason)).isInstanceOf(DecodeException.class);
  }

  @Test
  void aDetailIsDecodedAsOneLine() {
    ByteBuf frame =
        body(new Handshake.Refused(RefusalReason.BUSY, "a\nb\u0007c"), FrameType.REFUSED);
    assertThat(Handshake.readRefused(frame).detail()).isEqualTo("a b c");
  }

  private static ByteBuf body(Handshake handshake, FrameType type) {
    ByteBuf frame = handshake.greeting(HEAP);
    assertThat(frame.readInt()).isEqualTo(frame.readableBytes());
    assertThat(PeerFrames.readType(frame)).isEqualTo(type);
    return frame.writerIndex(frame.writerIndex() - FrameChecksum.BYTES);
  }
}
