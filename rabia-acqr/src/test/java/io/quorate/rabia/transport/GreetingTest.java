package io.quorate.rabia.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GreetingTest {
  private static final UnpooledByteBufAllocator HEAP = new UnpooledByteBufAllocator(false, true);
  private static final Greeting.Hello HELLO =
      new Greeting.Hello(
          Greeting.Purpose.REQUESTS,
          new LocalIdentity(new UUID(1, -1), new NodeId("n1"), new UUID(-2, 2)),
          new NodeId("a.node-with_a-long-name"));

  @Test
  void whatGoesInComesOut() throws Greeting.RefusalException {
    assertThat(Greeting.readHello(body(HELLO, FrameType.HELLO))).isEqualTo(HELLO);
    Greeting.Welcome welcome = new Greeting.Welcome(new NodeId("n2"), new UUID(3, 4));
    assertThat(Greeting.readWelcome(body(welcome, FrameType.WELCOME))).isEqualTo(welcome);
    Greeting.Refused refused = new Greeting.Refused(RefusalReason.DISK, "Nö.");
    assertThat(Greeting.readRefused(body(refused, FrameType.REFUSED))).isEqualTo(refused);
  }

  @Test
  void aGreetingFitsItsBoundWhateverItSays() {
    ByteBuf frame = new Greeting.Refused(RefusalReason.NODE, "x".repeat(100_000)).frame(HEAP);
    assertThat(frame.readableBytes()).isLessThanOrEqualTo(Frames.GREETING_BYTES_MAX);
  }

  @Test
  void whatIsCutShortAnywhereIsRefused() {
    ByteBuf whole = body(HELLO, FrameType.HELLO);
    for (int length = 0; length < whole.readableBytes(); length++) {
      ByteBuf cut = whole.slice(whole.readerIndex(), length);
      assertThatThrownBy(() -> Greeting.readHello(cut))
          .as("first %d bytes", length)
          .isInstanceOf(MalformedException.class);
    }
    ByteBuf longer = whole.copy().writeByte(0);
    assertThatThrownBy(() -> Greeting.readHello(longer)).isInstanceOf(MalformedException.class);
  }

  @Test
  void otherProtocolsAndVersionsAreToldApartWhateverFollows() {
    ByteBuf other = body(HELLO, FrameType.HELLO);
    other.setInt(other.readerIndex(), 0x47455420);
    assertRefused(other, "port for nodes");
    ByteBuf newer = body(HELLO, FrameType.HELLO).slice().copy(0, Integer.BYTES + 1);
    newer.setByte(Integer.BYTES, Greeting.VERSION + 1);
    assertRefused(newer, "version " + (Greeting.VERSION + 1));
  }

  private static void assertRefused(ByteBuf body, String why) {
    assertThatThrownBy(() -> Greeting.readHello(body))
        .isInstanceOfSatisfying(
            Greeting.RefusalException.class,
            e -> assertThat(e.refused().reason()).isEqualTo(RefusalReason.VERSION))
        .hasMessageContaining(why);
  }

  @Test
  void impossibleValuesAreRefused() {
    ByteBuf purpose = body(HELLO, FrameType.HELLO);
    purpose.setByte(purpose.readerIndex() + Integer.BYTES + 1, 9);
    assertThatThrownBy(() -> Greeting.readHello(purpose)).isInstanceOf(MalformedException.class);
    ByteBuf node = body(HELLO, FrameType.HELLO);
    node.setByte(node.readerIndex() + Integer.BYTES + 2 + 16 + 1, ' ');
    assertThatThrownBy(() -> Greeting.readHello(node)).isInstanceOf(MalformedException.class);
    ByteBuf reason = body(new Greeting.Refused(RefusalReason.BUSY, ""), FrameType.REFUSED);
    reason.setByte(reason.readerIndex(), 99);
    assertThatThrownBy(() -> Greeting.readRefused(reason)).isInstanceOf(MalformedException.class);
  }

  @Test
  void aSentenceBecomesOneLine() {
    ByteBuf frame =
        body(new Greeting.Refused(RefusalReason.BUSY, "a\nb\u0007c"), FrameType.REFUSED);
    assertThat(Greeting.readRefused(frame).sentence()).isEqualTo("a b c");
  }

  private static ByteBuf body(Greeting greeting, FrameType type) {
    ByteBuf frame = greeting.frame(HEAP);
    assertThat(frame.readInt()).isEqualTo(frame.readableBytes());
    assertThat(Frames.readType(frame)).isEqualTo(type);
    return frame;
  }
}
