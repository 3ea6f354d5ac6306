package io.quorate.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.common.Budget;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Status;
import io.quorate.server.rpc.request.DecodedFrame;
import io.quorate.server.testing.RawClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Frames that claim more than they send, which would reserve the memory of a node. */
class SlowFrameTest {
  private static final int FRAME_BYTES_MAX = 64 << 20;
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private final Budget node = new Budget(100, 256 << 20);
  private final Budget receiving = new Budget(100, 128 << 20);
  private final Budget control = new Budget(100, 1 << 20);
  private EmbeddedChannel channel;

  @BeforeEach
  void connect() {
    channel = connected();
  }

  private EmbeddedChannel connected() {
    Budget connection = new Budget(100, FRAME_BYTES_MAX);
    EmbeddedChannel connected =
        new EmbeddedChannel(
            new FrameReader(
                FRAME_BYTES_MAX,
                PERIOD,
                new FrameReader.Budgets(connection, receiving, node, control)));
    connected.freezeTime();
    connected.writeInbound(Unpooled.buffer().writeInt(Preamble.current()));
    return connected;
  }

  @AfterEach
  void disconnect() {
    channel.finishAndReleaseAll();
  }

  private static ByteBuf frame(Opcode opcode, int bodyBytes) {
    return Unpooled.wrappedBuffer(RawClient.frame(1, opcode.code(), new byte[bodyBytes]));
  }

  private void greet() {
    channel.writeInbound(frame(Opcode.HELLO, 10));
    DecodedFrame.Complete greeting = channel.readInbound();
    greeting.permit().release();
  }

  private void pass(Duration time) {
    channel.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  private Object next() {
    return channel.readInbound();
  }

  private void sendEachSecond(ByteBuf frame, int bytes, int seconds) {
    for (int i = 0; i < seconds && frame.isReadable(); i++) {
      channel.writeInbound(frame.readRetainedSlice(Math.min(bytes, frame.readableBytes())));
      pass(Duration.ofSeconds(1));
    }
  }

  /** Its length is a claim until it has arrived. */
  @Test
  void aFrameHasNoMoreMemoryThanTwentyTimesWhatHasArrived() {
    greet();
    ByteBuf frame = frame(Opcode.WRITE, 30 << 20);
    channel.writeInbound(frame.readRetainedSlice(100));
    assertThat(node.bytes()).isLessThan(5 << 10);
    for (int part : new int[] {1 << 10, 10 << 10, 100 << 10, 1 << 20}) {
      channel.writeInbound(frame.readRetainedSlice(part));
      assertThat(node.bytes()).isBetween((long) part, 20L * frame.readerIndex() + (1 << 10));
      assertThat(receiving.bytes()).isEqualTo(node.bytes());
    }
    channel.writeInbound(frame);
    DecodedFrame.Complete whole = (DecodedFrame.Complete) next();
    assertThat(whole.body().readableBytes()).isEqualTo(30 << 20);
    assertThat(whole.body().array()).as("no memory for more").hasSize(30 << 20);
    assertThat(receiving.bytes()).isZero();
    whole.permit().release();
    assertThat(node.bytes()).isZero();
  }

  /** With a single large frame, or many; the other half is for the clients of other addresses. */
  @Test
  void theUnfinishedFramesOfAnAddressHaveHalfOfTheNode() {
    List<EmbeddedChannel> channels = new ArrayList<>();
    int rejected = 0;
    for (int i = 0; i < 10; i++) {
      channel = connected();
      channels.add(channel);
      greet();
      ByteBuf frame = frame(Opcode.WRITE, 30 << 20);
      channel.writeInbound(frame.readRetainedSlice(100));
      assertThat(next()).as("only a claim").isNull();
      channel.writeInbound(frame.readSlice(20 << 20).retain());
      Object refusal = next();
      rejected += refusal == null ? 0 : 1;
    }
    assertThat(rejected).isEqualTo(6);
    assertThat(node.bytes()).isBetween(120L << 20, 128L << 20);
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    assertThat(node.bytes()).isZero();
    assertThat(receiving.bytes()).isZero();
    assertThat(receiving.requests()).isZero();
  }

  private void assertClosed() {
    assertThat(next())
        .isInstanceOfSatisfying(
            DecodedFrame.Broken.class,
            broken -> assertThat(broken.message()).contains("10000ms (rpc.frame-timeout)"));
    assertThat(node.bytes()).as("reserved").isZero();
    assertThat(node.requests()).isZero();
  }

  @Test
  void aFrameOfWhichOneByteArrivesNowAndThenReservesNothingAfterAPeriod() {
    greet();
    ByteBuf frame = frame(Opcode.WRITE, 4 << 20);
    channel.writeInbound(frame.readRetainedSlice(100));
    assertThat(node.requests()).isEqualTo(1);

    sendEachSecond(frame, 1, 10);

    assertClosed();
  }

  /** The node has become full meanwhile. */
  @Test
  void aFrameThatHasBegunToArriveIsRejectedWhereItsRestHasNoRoom() {
    greet();
    ByteBuf frame = frame(Opcode.WRITE, 4 << 20);
    channel.writeInbound(frame.readRetainedSlice(100));
    assertThat(node.tryAcquire((256 << 20) - node.bytes())).isTrue();
    channel.writeInbound(frame);
    assertThat(next())
        .isInstanceOfSatisfying(
            DecodedFrame.Rejected.class,
            rejected -> {
              assertThat(rejected.correlation()).isEqualTo(1);
              assertThat(rejected.status()).isEqualTo(Status.OVERLOADED);
            });
    assertThat(node.requests()).as("that of the test").isEqualTo(1);
    node.release(node.bytes());
    channel.writeInbound(frame(Opcode.WRITE, 1000));
    assertThat(next()).as("the rest was skipped").isInstanceOf(DecodedFrame.Complete.class);
  }

  @Test
  void aFrameThatIsRejectedIsNotReadForEver() {
    greet();
    Budget full = node;
    assertThat(full.tryAcquire(256 << 20)).isTrue();
    ByteBuf frame = frame(Opcode.WRITE, 4 << 20);
    sendEachSecond(frame, 50, 12);

    assertThat(next()).isInstanceOf(DecodedFrame.Rejected.class);
    full.release(256 << 20);
    assertClosed();
  }

  @Test
  void aFrameThatArrivesSteadilyMayTakeManyPeriods() {
    greet();
    ByteBuf frame = frame(Opcode.WRITE, 8 << 20);

    sendEachSecond(frame, 200 << 10, 100);

    assertThat(next()).isInstanceOf(DecodedFrame.Complete.class);
  }

  @Test
  void aFrameThatBeginsWithinAPeriodHasAPeriodOfItsOwn() {
    greet();
    ByteBuf first = frame(Opcode.WRITE, 1000);
    channel.writeInbound(first.readRetainedSlice(10));
    pass(PERIOD.minusSeconds(1));
    ByteBuf second = frame(Opcode.WRITE, 1000);
    channel.writeInbound(first, second.readRetainedSlice(10));
    pass(PERIOD.minusSeconds(1));
    channel.writeInbound(second);

    assertThat(next()).isInstanceOf(DecodedFrame.Complete.class);
    assertThat(next()).isInstanceOf(DecodedFrame.Complete.class);
  }

  @Test
  void nothingLargeIsReservedBeforeTheGreeting() {
    channel.writeInbound(frame(Opcode.WRITE, 1 << 20).readSlice(100).retain());
    assertThat(next())
        .isInstanceOfSatisfying(
            DecodedFrame.Rejected.class,
            rejected -> assertThat(rejected.status()).isEqualTo(Status.INVALID));
    assertThat(node.bytes()).isZero();
  }

  /** It counts for its address until it is whole. */
  @Test
  void aRequestAboutTheNodeCountsAmongThoseOfOthersWhenItIsWhole() {
    greet();
    ByteBuf frame = frame(Opcode.TOPOLOGY, 10 << 10);
    channel.writeInbound(frame.readRetainedSlice(100));
    assertThat(control.requests()).isZero();
    assertThat(receiving.requests()).isEqualTo(1);
    channel.writeInbound(frame.readRetainedSlice(8 << 10));
    assertThat(control.requests()).isZero();
    channel.writeInbound(frame);
    assertThat(control.requests()).isEqualTo(1);
    assertThat(receiving.requests()).isZero();
    assertThat(receiving.bytes()).isZero();
    DecodedFrame.Complete whole = (DecodedFrame.Complete) next();
    whole.permit().release();
    assertThat(control.bytes()).isZero();
    assertThat(control.requests()).isZero();

    assertThat(control.tryAcquire(1 << 20)).isTrue();
    ByteBuf rejected = frame(Opcode.TOPOLOGY, 10);
    control.grow(-(1 << 20));
    channel.writeInbound(rejected.readRetainedSlice(20));
    control.grow(1 << 20);
    channel.writeInbound(rejected);
    assertThat(next()).isInstanceOf(DecodedFrame.Rejected.class);
    assertThat(receiving.requests()).isZero();
    control.release(1 << 20);
    channel.writeInbound(frame(Opcode.TOPOLOGY, 10));
    assertThat(next()).isInstanceOf(DecodedFrame.Complete.class);
  }

  @Test
  void aRequestAboutTheNodeIsSmall() {
    greet();
    channel.writeInbound(frame(Opcode.TOPOLOGY, 1 << 20).readSlice(100).retain());
    assertThat(next())
        .isInstanceOfSatisfying(
            DecodedFrame.Rejected.class,
            rejected -> assertThat(rejected.message()).contains("at most 16384 bytes"));
    assertThat(control.bytes()).isZero();
  }
}
