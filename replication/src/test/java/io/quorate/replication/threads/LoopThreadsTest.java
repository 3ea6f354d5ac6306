package io.quorate.replication.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Threads;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopThreadsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Threads.named("timer"));
  private final LoopThreads threads = new LoopThreads("loop", 2, timer);
  private final CountDownLatch released = new CountDownLatch(1);

  @AfterEach
  void close() {
    released.countDown();
    threads.close();
    timer.shutdownNow();
  }

  private void hold() {
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void tasksThatAreHeldUpKeepNoOthersFromRunning() {
    AtomicInteger ran = new AtomicInteger();
    for (int i = 0; i < 5; i++) {
      threads.execute(this::hold);
    }
    for (int i = 0; i < 100; i++) {
      threads.execute(ran::incrementAndGet);
    }
    await().atMost(PATIENCE).untilAtomic(ran, count -> assertThat(count).isEqualTo(100));
    assertThat(threads.size()).isGreaterThan(5);

    released.countDown();
    // As many as before, when the next task has made them look.
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              threads.execute(ran::incrementAndGet);
              return threads.size() == 2;
            });
  }

  @Test
  void whatWaitsRunsBeforeTheEnd() {
    AtomicInteger ran = new AtomicInteger();
    for (int i = 0; i < 1000; i++) {
      threads.execute(ran::incrementAndGet);
    }
    threads.close();
    assertThat(ran).hasValue(1000);
  }
}
