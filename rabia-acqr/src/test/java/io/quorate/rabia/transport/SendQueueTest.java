package io.quorate.rabia.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class SendQueueTest {
  private final SendQueue outbox = new SendQueue(3, 100);

  @Test
  void whatIsTakenComesOutInOrder() {
    outbox.open();
    ByteBuf first = bytes(10);
    ByteBuf second = bytes(20);
    assertThat(outbox.offer(first)).isTrue();
    assertThat(outbox.offer(second)).isTrue();
    assertThat(outbox.bytes()).isEqualTo(30);
    assertThat(outbox.poll()).isSameAs(first);
    assertThat(outbox.poll()).isSameAs(second);
    assertThat(outbox.poll()).isNull();
    assertThat(outbox.bytes()).isZero();
  }

  @Test
  void bothBoundsHoldAndRoomComesBack() {
    outbox.open();
    assertThat(outbox.offer(bytes(100))).isTrue();
    assertThat(outbox.offer(bytes(1))).as("a byte too many").isFalse();
    outbox.poll().release();
    for (int i = 0; i < 3; i++) {
      assertThat(outbox.offer(bytes(1))).isTrue();
    }
    assertThat(outbox.offer(bytes(1))).as("a frame too many").isFalse();
    assertThat(outbox.bytes()).isEqualTo(3);
  }

  @Test
  void nothingStaysInAClosedOne() {
    outbox.open();
    ByteBuf before = bytes(1);
    outbox.offer(before);
    assertThat(outbox.close()).isEqualTo(1);
    ByteBuf after = bytes(1);
    outbox.offer(after);
    assertThat(before.refCnt()).isZero();
    assertThat(after.refCnt()).isZero();
    assertThat(outbox.isEmpty()).isTrue();
    assertThat(outbox.bytes()).isZero();
  }

  private static ByteBuf bytes(int count) {
    return Unpooled.buffer(count).writeZero(count);
  }
}
