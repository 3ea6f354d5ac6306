package io.quorate.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.common.Budget;
import io.quorate.consensus.Command;
import io.quorate.consensus.MetricsSink;
import io.quorate.protocol.frame.CheckedFrame;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Status;
import io.quorate.server.access.Principal;
import io.quorate.server.rpc.request.DecodedFrame;
import io.quorate.server.rpc.request.Permit;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.rpc.request.ResponseQueue;
import io.quorate.server.rpc.request.RpcMetrics;
import io.quorate.server.rpc.request.TrafficCounters;
import io.quorate.server.testing.RawClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static final int FRAME_BYTES_MAX = 1000;

  private final Budget connection = new Budget(2, 2000);
  private final Budget node = new Budget(3, 3000);
  private final Budget control = new Budget(4, 4000);

  private EmbeddedChannel reader(Budget budget) {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new FrameReader(
                FRAME_BYTES_MAX,
                Duration.ofMinutes(1),
                new FrameReader.Budgets(budget, new Budget(100, 1 << 20), node, control)));
    channel.writeInbound(Unpooled.buffer().writeInt(Preamble.current()));
    return channel;
  }

  private static ByteBuf frame(long correlation, int kind, int bodyBytes) {
    return Unpooled.wrappedBuffer(RawClient.frame(correlation, kind, new byte[bodyBytes]));
  }

  private static Object next(EmbeddedChannel channel) {
    return channel.readInbound();
  }

  private void assertIdle() {
    assertThat(node.requests()).isZero();
    assertThat(node.bytes()).isZero();
    assertThat(connection.requests()).isZero();
    assertThat(connection.bytes()).isZero();
  }

  @Test
  void aRequestCountsUntilItsFirstRelease() {
    Permit first = Permit.tryAcquire(connection, node, 10).orElseThrow();
    Permit second = Permit.tryAcquire(connection, node, 10).orElseThrow();
    assertThat(Permit.tryAcquire(connection, node, 10)).as("count").isEmpty();

    first.release();
    first.release();
    assertThat(node.requests()).isEqualTo(1);
    second.release();
    assertIdle();
  }

  @Test
  void countsBytesOfRequestsAndResponses() {
    Permit permit = Permit.tryAcquire(connection, node, 1500).orElseThrow();
    assertThat(Permit.tryAcquire(connection, node, 600)).as("bytes").isEmpty();

    permit.grow(5000);
    assertThat(permit.hasCapacity()).isFalse();
    permit.release();
    assertIdle();
  }

  @Test
  void aResponseIsReservedBeforeItIsProducedAndCountedOnce() {
    Permit permit = Permit.tryAcquire(connection, node, 100).orElseThrow();
    assertThat(permit.tryReserve(1900)).isTrue();
    assertThat(permit.hasCapacity()).as("for what is reserved").isTrue();
    assertThat(permit.tryReserve(1)).isFalse();
    permit.grow(1890);
    assertThat(connection.bytes()).isEqualTo(2000);
    assertThat(node.bytes()).isEqualTo(2000);
    permit.release();
    assertIdle();
  }

  @Test
  void aReservationBeyondABoundOrAfterTheEndReservesNothing() {
    Budget other = new Budget(10, 10_000);
    Permit first = Permit.tryAcquire(other, node, 2000).orElseThrow();
    Permit permit = Permit.tryAcquire(connection, node, 100).orElseThrow();
    assertThat(permit.tryReserve(1000)).as("of the node").isFalse();
    assertThat(connection.bytes()).isEqualTo(100);
    assertThat(permit.tryReserve(800)).isTrue();
    permit.release();
    assertThat(permit.tryReserve(1)).as("after its timeout, for example").isFalse();
    first.release();
    assertIdle();
  }

  @Test
  void aRejectionByTheNodeReleasesTheBudgetOfTheConnection() {
    Budget other = new Budget(10, 10_000);
    Permit.tryAcquire(other, node, 2900).orElseThrow();

    assertThat(Permit.tryAcquire(connection, node, 200)).isEmpty();
    assertThat(connection.requests()).isZero();
    assertThat(connection.bytes()).isZero();
  }

  @Test
  void whenIdleCompletesWhenNothingIsInFlight() {
    Permit permit = Permit.tryAcquire(connection, node, 1).orElseThrow();
    var idle = node.whenIdle().toCompletableFuture();

    assertThat(idle).isNotDone();
    permit.release();
    assertThat(idle).isCompleted();
    assertThat(node.whenIdle().toCompletableFuture()).isCompleted();
  }

  @Test
  void aRequestOverTheBoundIsRejectedBeforeItsBodyArrives() {
    EmbeddedChannel channel = reader(connection);
    channel.writeInbound(frame(1, Opcode.WRITE.code(), 5), frame(2, Opcode.GET.code(), 0));
    assertThat(next(channel)).isInstanceOf(DecodedFrame.Complete.class);
    assertThat(next(channel)).isInstanceOf(DecodedFrame.Complete.class);

    ByteBuf third = frame(3, Opcode.WRITE.code(), 900);
    channel.writeInbound(third.readSlice(CheckedFrame.PREFIX_BYTES + Frames.HEADER_BYTES).retain());
    assertThat(next(channel))
        .isInstanceOfSatisfying(
            DecodedFrame.Rejected.class,
            rejected -> {
              assertThat(rejected.correlation()).isEqualTo(3);
              assertThat(rejected.status()).isEqualTo(Status.OVERLOADED);
            });
    channel.writeInbound(third);
    channel.writeInbound(frame(4, Opcode.WRITE.code(), 1));
    assertThat(next(channel)).as("the body was skipped").isInstanceOf(DecodedFrame.Rejected.class);
    assertThat(connection.requests()).isEqualTo(2);
    channel.finishAndReleaseAll();
  }

  @Test
  void requestsAboutTheNodeAreAdmittedWhileItIsFull() {
    Budget other = new Budget(10, 10_000);
    for (int i = 0; i < 3; i++) {
      Permit.tryAcquire(other, node, 10).orElseThrow();
    }
    for (Opcode opcode : new Opcode[] {Opcode.HELLO, Opcode.TOPOLOGY, Opcode.STATUS}) {
      EmbeddedChannel channel = reader(new Budget(2, 2000));
      channel.writeInbound(frame(1, opcode.code(), 4), frame(2, Opcode.GET.code(), 4));
      assertThat(next(channel)).as("%s", opcode).isInstanceOf(DecodedFrame.Complete.class);
      assertThat(next(channel)).isInstanceOf(DecodedFrame.Rejected.class);
      channel.finishAndReleaseAll();
    }
    assertThat(control.requests()).as("bounded on their own").isEqualTo(3);
  }

  @Test
  void aConnectionThatEndsWithinAFrameReleasesItsBudget() {
    EmbeddedChannel channel = reader(connection);
    channel.writeInbound(frame(1, Opcode.WRITE.code(), 500).readSlice(100).retain());
    assertThat(node.requests()).isEqualTo(1);

    channel.close();

    assertIdle();
    channel.finishAndReleaseAll();
  }

  @Test
  void aResponseThatCannotBeSentReleasesItsBudget() {
    EmbeddedChannel channel = reader(connection);
    channel.writeInbound(frame(1, Opcode.WRITE.code(), 5));
    DecodedFrame.Complete whole = channel.readInbound();
    channel.close();
    Request request =
        new Request(
            new ResponseQueue(channel),
            whole,
            new RpcMetrics(MetricsSink.NONE, new TrafficCounters()),
            Principal.ANYONE,
            Command.Source.NODE);

    request.fail(RequestRejected.unavailable("no"));
    request.complete(new byte[3]);
    channel.runPendingTasks();

    assertThat(request.isCompleted()).isTrue();
    assertIdle();
    channel.finishAndReleaseAll();
  }

  @Test
  void framesAreDecodedFromPartsOfAnySize() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Budget large = new Budget(1 << 20, 1 << 30);
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new FrameReader(
                FRAME_BYTES_MAX,
                Duration.ofMinutes(1),
                new FrameReader.Budgets(large, large, large, control)));
    ByteBuf stream = Unpooled.buffer().writeInt(Preamble.current());
    int frames = 200;
    for (int i = 0; i < frames; i++) {
      byte[] body = new byte[random.nextInt(300)];
      Arrays.fill(body, (byte) i);
      stream.writeBytes(RawClient.frame(i, i % 10 == 9 ? 99 : Opcode.GET.code(), body));
    }
    while (stream.isReadable()) {
      int part = 1 + random.nextInt(Math.min(stream.readableBytes(), 700));
      channel.writeInbound(stream.readBytes(part));
    }
    for (int i = 0; i < frames; i++) {
      DecodedFrame inbound = channel.readInbound();
      if (i % 10 == 9) {
        assertThat(inbound)
            .as("seed %d", seed)
            .isEqualTo(
                new DecodedFrame.Rejected(i, Status.INVALID, "There is no request of kind 99."));
      } else {
        DecodedFrame.Complete whole = (DecodedFrame.Complete) inbound;
        assertThat(whole.correlation()).as("seed %d", seed).isEqualTo(i);
        int expected = i;
        whole
            .body()
            .forEachByte(
                value -> {
                  assertThat(value).as("seed %d", seed).isEqualTo((byte) expected);
                  return true;
                });
      }
    }
    assertThat(next(channel)).isNull();
    channel.finishAndReleaseAll();
  }
}
