package io.quorate.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.quorate.client.internal.connection.Guarded;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallTimerTest {
  private static final MultiThreadIoEventLoopGroup GROUP =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private static final EventLoop LOOP = GROUP.next();
  private static final Duration SHORT = Duration.ofMillis(20);
  private static final Duration LONG = Duration.ofMinutes(5);

  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final AtomicReference<CallTimer> timer = new AtomicReference<>();
  private final Guarded call = cause -> events.add(cause.getMessage());

  @AfterAll
  static void stop() {
    GROUP.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private void start(Duration deadline, Duration usual, Runnable expired) {
    LOOP.submit(
            () -> {
              timer.set(new CallTimer(LOOP, call, System.nanoTime(), deadline, expired));
              timer.get().start(usual);
            })
        .syncUninterruptibly();
  }

  private void arm(Duration after, String event) {
    LOOP.submit(() -> timer.get().arm(after, () -> events.add(event))).syncUninterruptibly();
  }

  @Test
  void theDeadlineIsArmedFromTheStart() throws InterruptedException {
    start(SHORT, LONG, () -> end("expired"));
    assertThat(events.take()).isEqualTo("expired");
  }

  @Test
  void whatIsArmedReplacesWhatWasArmed() throws InterruptedException {
    start(LONG, LONG, () -> end("expired"));
    arm(Duration.ofMinutes(1), "later");
    arm(SHORT, "earlier");
    assertThat(events.take()).isEqualTo("earlier");
    arm(SHORT, "replaced");
    arm(SHORT.multipliedBy(2), "again");
    assertThat(events.take()).isEqualTo("again");
  }

  /** Although it fires at the usual time, when nothing is due. */
  @Test
  void whatIsDueLaterThanUsualIsRunWhenItIsDue() throws InterruptedException {
    start(LONG, SHORT, () -> end("expired"));
    long armed = System.nanoTime();
    arm(SHORT.multipliedBy(3), "due");
    assertThat(events.take()).isEqualTo("due");
    assertThat(System.nanoTime() - armed).isGreaterThanOrEqualTo(SHORT.toNanos() * 3);
  }

  @Test
  void theDeadlineIsArmedAgainAfterAStepThatHasNotArmedAnything() throws InterruptedException {
    start(SHORT.multipliedBy(5), SHORT, () -> end("expired"));
    arm(SHORT, "step");
    assertThat(List.of(events.take(), events.take())).containsExactly("step", "expired");
  }

  @Test
  void aCallThatCouldNotBeEndedIsEndedAgain() throws InterruptedException {
    AtomicReference<RuntimeException> problem =
        new AtomicReference<>(new IllegalStateException("thrown by a test"));
    start(
        SHORT,
        LONG,
        () -> {
          RuntimeException present = problem.getAndSet(null);
          if (present != null) {
            throw present;
          }
          end("expired");
        });
    assertThat(List.of(events.take(), events.take()))
        .containsExactly("thrown by a test", "expired");
  }

  private void end(String event) {
    timer.get().stop();
    events.add(event);
  }
}
