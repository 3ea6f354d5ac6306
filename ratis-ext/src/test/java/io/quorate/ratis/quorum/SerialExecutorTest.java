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
  private final AtomicInteger turns = new AtomicInteger();
  private final AtomicLong waitNanos = new AtomicLong(SerialExecutor.IDLE_NANOS);
  private final AtomicBoolean inTurn = new AtomicBoolean();
  private final AtomicBoolean overlapped = new AtomicBoolean();
  private final SerialExecutor subject =
      new SerialExecutor(new SerialExecutor.Threads(workers, timer), this::turn);

  @AfterEach
  void stop() {
    workers.shutdownNow();
    timer.shutdownNow();
  }

  private long turn() {
    if (!inTurn.compareAndSet(false, true)) {
      overlapped.set(true);
    }
    turns.incrementAndGet();
    inTurn.set(false);
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
    AtomicBoolean looked = new AtomicBoolean();
    subject.execute(
        () -> {
          last.set(ran.isEmpty() ? -1 : ran.get(ran.size() - 1));
          looked.set(true);
        });
    await().atMost(PATIENCE).untilTrue(looked);
    return last.get();
  }

  @Test
  void aTurnThatIsDueComesByItselfAlsoWhereALaterOneWasAskedFor() {
    waitNanos.set(TimeUnit.MINUTES.toNanos(10));
    subject.wake();
    await().atMost(PATIENCE).until(() -> turns.get() == 1);
    waitNanos.set(TimeUnit.MILLISECONDS.toNanos(1));
    subject.wake();
    await().atMost(PATIENCE).until(() -> turns.get() >= 4);
  }

  @Test
  void afterTheEndThereIsNone() {
    AtomicBoolean last = new AtomicBoolean();
    subject.end(() -> last.set(true));
    AtomicBoolean late = new AtomicBoolean();
    subject.execute(() -> late.set(true));
    subject.end(() -> late.set(true));
    assertThat(last).isTrue();
    assertThat(late).isFalse();
    assertThat(turns).hasValue(0);
  }
}
