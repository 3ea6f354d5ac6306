package io.quorate.replication.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class SendQueueTest {
  private final SendQueue queue = new SendQueue(3, 100);

  @Test
  void framesArePolledInOrder() {
    queue.open();
    ByteBuf first = bytes(10);
    ByteBuf second = bytes(20);
    assertThat(queue.offer(first)).isTrue();
    assertThat(queue.offer(second)).isTrue();
    assertThat(queue.bytes()).isEqualTo(30);
    assertThat(queue.poll()).isSameAs(first);
    assertThat(queue.poll()).isSameAs(second);
    assertThat(queue.poll()).isNull();
    assertThat(queue.bytes()).isZero();
  }

  @Test
  void bothBoundsHoldAndPollingReleasesCapacity() {
    queue.open();
    assertThat(queue.offer(bytes(100))).isTrue();
    assertThat(queue.offer(bytes(1))).as("a byte too many").isFalse();
    queue.poll().release();
    for (int i = 0; i < 3; i++) {
      assertThat(queue.offer(bytes(1))).isTrue();
    }
    assertThat(queue.offer(bytes(1))).as("a frame too many").isFalse();
    assertThat(queue.bytes()).isEqualTo(3);
  }

  @Test
  void aClosedQueueReleasesAllFrames() {
    queue.open();
    ByteBuf before = bytes(1);
    queue.offer(before);
    assertThat(queue.close()).isEqualTo(1);
    ByteBuf after = bytes(1);
    queue.offer(after);
    assertThat(before.refCnt()).isZero();
    assertThat(after.refCnt()).isZero();
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.bytes()).isZero();
  }

  private static ByteBuf bytes(int count) {
    return Unpooled.buffer(count).writeZero(count);
  }
}
