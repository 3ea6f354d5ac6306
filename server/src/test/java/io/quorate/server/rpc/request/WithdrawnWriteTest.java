package io.quorate.server.rpc.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.quorate.common.Budget;
import io.quorate.consensus.Command;
import io.quorate.consensus.MetricsSink;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Routing;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import io.quorate.server.access.Principal;
import io.quorate.server.rpc.SentFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A write that waits in a queue until its client is about to give up. */
class WithdrawnWriteTest {
  private static final int TIMEOUT_MILLIS = 400;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ManualTimer timer = new ManualTimer();
  private final RequestTimeouts timeouts = new RequestTimeouts(Duration.ofMinutes(1), timer);
  private final Command command = new Command(ByteBuffer.allocate(1));
  private final Request request = request();

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void aCommandThatStillWaitsIsWithdrawnBeforeItsClientGivesUp() throws IOException {
    command.awaitBegin();
    arm();
    timer.next(TIMEOUT_MILLIS * 3 / 4);
    requireSent(Status.UNAVAILABLE, "withdrawn before it had an effect");
    assertThat(command.begin()).as("the engine may propose it").isFalse();
    assertThat(timer.timeouts).isEmpty();
  }

  @Test
  void aCommandThatWasProposedHasTheRestOfItsTime() throws IOException {
    command.awaitBegin();
    arm();
    assertThat(command.begin()).isTrue();
    timer.next(TIMEOUT_MILLIS * 3 / 4);
    assertThat(request.isCompleted()).isFalse();
    timer.next(TIMEOUT_MILLIS / 4);
    requireSent(Status.INDETERMINATE, "no result after 400ms");
  }

  /** An engine without a queue, or one that does not say when it begins. */
  @Test
  void aCommandThatNeverWaitedIsNotSaidToHaveNoEffect() throws IOException {
    arm();
    timer.next(TIMEOUT_MILLIS * 3 / 4);
    assertThat(request.isCompleted()).isFalse();
    timer.next(TIMEOUT_MILLIS / 4);
    requireSent(Status.INDETERMINATE, "no result");
  }

  @Test
  void aResultEndsTheRestOfTheTime() {
    arm();
    timer.next(TIMEOUT_MILLIS * 3 / 4);
    request.complete(new byte[0]);
    assertThat(timer.timeouts).allMatch(Timeout::isCancelled);
  }

  @Test
  void aCommandMayWaitForASecondAndNotUntilItWouldBeWithdrawn() {
    assertThat(timeouts.queueNanosMax(new Routing(1, 1, TIMEOUT_MILLIS)))
        .isEqualTo(TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS * 3 / 4));
    assertThat(timeouts.queueNanosMax(new Routing(1, 1, 30_000)))
        .isEqualTo(TimeUnit.SECONDS.toNanos(1));
  }

  private void arm() {
    timeouts.armWrite(request, new Routing(1, 1, TIMEOUT_MILLIS), command);
  }

  private Request request() {
    Permit permit =
        Permit.tryAcquire(new Budget(10, 10_000), new Budget(10, 10_000), 1).orElseThrow();
    return new Request(
        new ResponseQueue(channel),
        new DecodedFrame.Complete(1, Opcode.WRITE, Unpooled.buffer(), permit),
        new RpcMetrics(MetricsSink.NONE, new TrafficCounters()),
        Principal.ANYONE,
        Command.Source.NODE);
  }

  private void requireSent(Status status, String message) throws IOException {
    channel.runPendingTasks();
    ByteBuf frame = SentFrame.next(channel).orElseThrow();
    assertThat(frame.skipBytes(Long.BYTES).readByte()).isEqualTo((byte) status.code());
    byte[] body = new byte[frame.readableBytes()];
    frame.readBytes(body).release();
    assertThat(Failure.parseFrom(body).getMessage()).contains(message);
  }

  /** Runs tasks when the test says so. */
  private static final class ManualTimer implements Timer {
    private final Queue<Armed> timeouts = new ArrayDeque<>();

    private final class Armed implements Timeout {
      private final TimerTask task;
      private final long millis;
      private boolean cancelled;
      private boolean expired;

      Armed(TimerTask task, long millis) {
        this.task = task;
        this.millis = millis;
      }

      @Override
      public Timer timer() {
        return ManualTimer.this;
      }

      @Override
      public TimerTask task() {
        return task;
      }

      @Override
      public boolean isExpired() {
        return expired;
      }

      @Override
      public boolean isCancelled() {
        return cancelled;
      }

      @Override
      public boolean cancel() {
        cancelled = !expired;
        return cancelled;
      }
    }

    /** Runs the oldest task, which was to run after this time. */
    void next(long millis) {
      Armed armed = timeouts.remove();
      assertThat(armed.millis).isEqualTo(millis);
      armed.expired = true;
      try {
        armed.task.run(armed);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
      Armed armed = new Armed(task, unit.toMillis(delay));
      timeouts.add(armed);
      return armed;
    }

    @Override
    public Set<Timeout> stop() {
      return Set.of();
    }
  }
}
