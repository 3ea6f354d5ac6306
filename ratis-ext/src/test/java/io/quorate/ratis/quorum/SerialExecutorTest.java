package io.quorate.ratis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final ExecutorService workers = Executors.newFixedThreadPool(4);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger iterations = new AtomicInteger();
  private final AtomicLong waitNanos = new AtomicLong(SerialExecutor.IDLE_NANOS);
  private final AtomicBoolean inIteration = new AtomicBoolean();
  private final AtomicBoolean overlapped = new AtomicBoolean();
  private final SerialExecutor subject =
      new SerialExecutor(new SerialExecutor.Threads(workers, timer), this::iterate);

  @AfterEach
  void stop() {
    workers.shutdownNow();
    timer.shutdownNow();
  }

  private long iterate() {
    if (!inIteration.compareAndSet(false, true)) {
      overlapped.set(true);
    }
    iterations.incrementAndGet();
    inIteration.set(false);
    return System.nanoTime() + waitNanos.get();
  }

  @Test
  void tasksRunInOrderAndNeverTwoAtATime() {
    List<Integer> ran = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      int task = i;
      subject.execute(() -> ran.add(task));
    }
    await().atMost(PATIENCE).until(() -> lastOf(ran) == 9_999);
    assertThat(ran).isSorted().hasSize(10_000);
    assertThat(overlapped).isFalse();
  }

  private int lastOf(List<Integer> ran) {
    AtomicInteger last = new AtomicInteger(-1);
    AtomicBoolean done = new AtomicBoolean();
    subject.execute(
        () -> {
          last.set(ran.isEmpty() ? -1 : ran.get(ran.size() - 1));
          done.set(true);
        });
    await().atMost(PATIENCE).untilTrue(done);
    return last.get();
  }

  @Test
  void aDueIterationRunsAlthoughALaterOneIsScheduled() {
    waitNanos.set(TimeUnit.MINUTES.toNanos(10));
    subject.wake();
    await().atMost(PATIENCE).until(() -> iterations.get() == 1);
    waitNanos.set(TimeUnit.MILLISECONDS.toNanos(1));
    subject.wake();
    await().atMost(PATIENCE).until(() -> iterations.get() >= 4);
  }

  @Test
  void nothingRunsAfterTheEnd() {
    AtomicBoolean last = new AtomicBoolean();
    subject.end(() -> last.set(true));
    AtomicBoolean late = new AtomicBoolean();
    subject.execute(() -> late.set(true));
    subject.end(() -> late.set(true));
    assertThat(last).isTrue();
    assertThat(late).isFalse();
    assertThat(iterations).hasValue(0);
  }
}
