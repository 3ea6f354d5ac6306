package io.quorate.ratis.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Threads;
import io.quorate.replication.threads.SharedLoops;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.util.LifeCycle.State;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AppenderTaskTest {
  /** Longer than a test: a step that is due then runs only when it is woken. */
  private static final long NEVER = 3_600_000;

  private final ExecutorService loop = Executors.newFixedThreadPool(1, Threads.named("loop"));
  private final ExecutorService readers = Executors.newFixedThreadPool(2, Threads.named("reader"));
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Threads.named("timer"));
  private final SharedLoops threads = new SharedLoops(loop, readers, timer);

  @AfterEach
  void close() {
    loop.shutdownNow();
    readers.shutdownNow();
    timer.shutdownNow();
  }

  /** Steps that are useful until the task is stopped. */
  private interface Step extends AppenderTask.Steps {
    @Override
    default boolean isUseful() {
      return true;
    }

    @Override
    default void failed() {}
  }

  private AppenderTask task(Step step) {
    return new AppenderTask("test", threads, step);
  }

  /** Keeps the only loop busy until the latch is released. */
  private CountDownLatch occupyLoop() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    loop.execute(
        () -> {
          begun.countDown();
          awaitLatch(free);
        });
    begun.await();
    return free;
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void wakeUpsBeforeAStepShareIt() throws InterruptedException {
    AtomicInteger steps = new AtomicInteger();
    AppenderTask task =
        task(
            mayBlock -> {
              steps.incrementAndGet();
              return NEVER;
            });
    CountDownLatch free = occupyLoop();
    task.start();
    for (int i = 0; i < 100; i++) {
      task.wake();
    }
    free.countDown();
    awaitIdleLoop();
    assertThat(steps).hasValue(1);
    task.stop().join();
  }

  @Test
  void nothingRunsBeforeTheStart() {
    AtomicInteger steps = new AtomicInteger();
    AppenderTask task =
        task(
            mayBlock -> {
              steps.incrementAndGet();
              return NEVER;
            });
    task.wake();
    assertThat(task.stop()).isCompletedWithValue(State.CLOSED);
    task.start();
    assertThat(task.isWorking()).isFalse();
    assertThat(steps).hasValue(0);
  }

  @Test
  void aStepRunsWhenItIsDue() {
    AtomicInteger steps = new AtomicInteger();
    AppenderTask task = task(mayBlock -> steps.incrementAndGet() < 5 ? 1 : NEVER);
    task.start();
    await().until(() -> steps.get() == 5);
    task.stop().join();
  }

  /** A wake-up that asks for an earlier step than the timer has is not held up by it. */
  @Test
  void anEarlierTimeIsNotLostBehindALaterOne() {
    AtomicInteger steps = new AtomicInteger();
    AppenderTask task = task(mayBlock -> steps.incrementAndGet() == 1 ? NEVER : 1);
    task.start();
    await().until(() -> steps.get() == 1);
    task.wake();
    await().until(() -> steps.get() > 3);
    task.stop().join();
  }

  @Test
  void noWakeUpIsLostAndNoTwoStepsRunAtTheSameTime() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    int tasks = 8;
    int wakersPerTask = 2;
    int wakeUps = 3_000;
    List<Counting> counting = new ArrayList<>();
    ExecutorService wakers = Executors.newCachedThreadPool(Threads.named("waker"));
    for (int i = 0; i < tasks; i++) {
      counting.add(new Counting(new SplittableRandom(seed + i)));
    }
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < tasks * wakersPerTask; i++) {
      Counting each = counting.get(i % tasks);
      SplittableRandom random = new SplittableRandom(seed ^ i);
      ends.add(CompletableFuture.runAsync(() -> each.request(wakeUps, random), wakers));
    }
    ends.forEach(CompletableFuture::join);
    for (Counting each : counting) {
      await().until(() -> each.done.get() == each.requested.get());
      assertThat(each.task.stop().join()).isEqualTo(State.CLOSED);
      assertThat(each.overlaps).isFalse();
    }
    wakers.shutdownNow();
  }

  /** Does what was requested before a step began, at random on a reader; fails if steps overlap. */
  private final class Counting implements Step {
    private final SplittableRandom random;
    private final AtomicLong requested = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final AtomicBoolean runs = new AtomicBoolean();
    private final AppenderTask task = task(this);
    private volatile boolean overlaps;

    /** Without a lock: what one step writes, the next one sees. */
    private long steps;

    private long stepsSeen;

    Counting(SplittableRandom random) {
      this.random = random;
      task.start();
    }

    void request(int times, SplittableRandom pauses) {
      for (int i = 0; i < times; i++) {
        requested.incrementAndGet();
        if (pauses.nextInt(4) == 0) {
          threads.runningSteps(
              () -> {
                task.wake();
                return null;
              });
        } else {
          task.wake();
        }
        if (pauses.nextInt(8) == 0) {
          Thread.yield();
        }
      }
    }

    @Override
    public long run(boolean mayBlock) {
      overlaps |= !runs.compareAndSet(false, true) || steps != stepsSeen;
      steps++;
      long now = requested.get();
      boolean hasToBlock = !mayBlock && random.nextInt(10) == 0;
      if (random.nextInt(8) == 0) {
        Thread.yield();
      }
      if (!hasToBlock) {
        done.set(now);
      }
      stepsSeen++;
      runs.set(false);
      return hasToBlock ? AppenderTask.BLOCKS : random.nextInt(20) == 0 ? 0 : NEVER;
    }
  }

  /** Ratis waits for the end, also on loops. */
  @Test
  void aTaskThatIsStoppedWhileItWaitsForALoopEndsWithoutOne() throws InterruptedException {
    AtomicInteger steps = new AtomicInteger();
    AppenderTask task =
        task(
            mayBlock -> {
              steps.incrementAndGet();
              return NEVER;
            });
    CountDownLatch free = occupyLoop();
    task.start();
    assertThat(task.stop()).isCompletedWithValue(State.CLOSED);
    free.countDown();
    CompletableFuture.runAsync(() -> {}, loop).join();
    assertThat(steps).hasValue(0);
  }

  @Test
  void aTaskThatIsStoppedInAStepEndsAfterIt() throws InterruptedException {
    CountDownLatch inStep = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    AppenderTask task =
        task(
            mayBlock -> {
              inStep.countDown();
              awaitLatch(free);
              return 0;
            });
    task.start();
    inStep.await();
    CompletableFuture<State> end = task.stop();
    assertThat(task.isWorking()).isFalse();
    assertThat(end).isNotDone();
    free.countDown();
    assertThat(end.join()).isEqualTo(State.CLOSED);
  }

  @Test
  void aTaskThatIsStoppedWhileItWaitsForItsTimeEndsAtOnce() {
    AtomicInteger steps = new AtomicInteger();
    AppenderTask task =
        task(
            mayBlock -> {
              steps.incrementAndGet();
              return NEVER;
            });
    task.start();
    await().until(() -> steps.get() == 1);
    assertThat(task.stop().join()).isEqualTo(State.CLOSED);
    assertThat(steps).hasValue(1);
  }

  @Test
  void aTaskThatIsOfNoMoreUseEnds() {
    AppenderTask task =
        new AppenderTask(
            "test",
            threads,
            new Step() {
              @Override
              public boolean isUseful() {
                return false;
              }

              @Override
              public long run(boolean mayBlock) {
                throw new AssertionError("It runs no step.");
              }
            });
    task.start();
    await().until(() -> !task.isWorking());
    assertThat(task.stop().join()).isEqualTo(State.CLOSED);
  }

  @Test
  void aFailureIsReportedOnceAndWhereItMayBlock() {
    List<String> reports = new ArrayList<>();
    CompletableFuture<Void> reported = new CompletableFuture<>();
    AppenderTask[] self = new AppenderTask[1];
    self[0] =
        new AppenderTask(
            "test",
            threads,
            new Step() {
              @Override
              public long run(boolean mayBlock) {
                throw new IllegalStateException("The step fails.");
              }

              @Override
              public void failed() {
                reports.add(Thread.currentThread().getName());
                // As Ratis does when it replaces an appender.
                self[0].stop();
                reported.complete(null);
              }
            });
    self[0].start();
    reported.join();
    self[0].wake();
    assertThat(self[0].stop().join()).isEqualTo(State.CLOSED);
    assertThat(reports).singleElement().asString().startsWith("reader");
  }

  @Test
  void aTaskThatWasStoppedReportsNoFailure() throws InterruptedException {
    CountDownLatch inStep = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    AtomicBoolean reported = new AtomicBoolean();
    AppenderTask task =
        new AppenderTask(
            "test",
            threads,
            new Step() {
              @Override
              public long run(boolean mayBlock) {
                inStep.countDown();
                awaitLatch(free);
                throw new IllegalStateException("The step fails.");
              }

              @Override
              public void failed() {
                reported.set(true);
              }
            });
    task.start();
    inStep.await();
    CompletableFuture<State> end = task.stop();
    free.countDown();
    assertThat(end.join()).isEqualTo(State.CLOSED);
    assertThat(reported).isFalse();
  }

  /** Tasks that always have something to do take turns on the only loop. */
  @Test
  void busyTasksTakeTurns() {
    int tasks = 20;
    int rounds = 50;
    List<Integer> order = new ArrayList<>();
    List<AppenderTask> all = new ArrayList<>();
    CountDownLatch begin = new CountDownLatch(1);
    loop.execute(() -> awaitLatch(begin));
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      int number = i;
      AtomicInteger own = new AtomicInteger();
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      all.add(
          task(
              mayBlock -> {
                order.add(number);
                if (own.incrementAndGet() == rounds) {
                  end.complete(null);
                }
                return own.get() < rounds ? 0 : NEVER;
              }));
    }
    all.forEach(AppenderTask::start);
    begin.countDown();
    ends.forEach(CompletableFuture::join);
    for (int i = 0; i < tasks * rounds; i++) {
      assertThat(order.get(i)).isEqualTo(i % tasks);
    }
    all.forEach(AppenderTask::stop);
  }

  @Test
  void aReaderThatBlocksHoldsUpNoOther() {
    CountDownLatch free = new CountDownLatch(1);
    CountDownLatch blocked = new CountDownLatch(1);
    AppenderTask reading =
        task(
            mayBlock -> {
              if (!mayBlock) {
                return AppenderTask.BLOCKS;
              }
              blocked.countDown();
              awaitLatch(free);
              return NEVER;
            });
    reading.start();
    awaitLatch(blocked);
    AtomicInteger steps = new AtomicInteger();
    AppenderTask other = task(mayBlock -> steps.incrementAndGet() < 100 ? 0 : NEVER);
    other.start();
    await().until(() -> steps.get() == 100);
    CompletableFuture<State> end = reading.stop();
    assertThat(end).isNotDone();
    free.countDown();
    assertThat(end.join()).isEqualTo(State.CLOSED);
    other.stop().join();
  }

  @Test
  void aStepWithoutAReaderIsTriedAgain() {
    AtomicInteger rejected = new AtomicInteger();
    SharedLoops full =
        new SharedLoops(
            loop,
            step -> {
              if (rejected.incrementAndGet() < 3) {
                throw new RejectedExecutionException();
              }
              readers.execute(step);
            },
            timer);
    CompletableFuture<Void> done = new CompletableFuture<>();
    Step step =
        mayBlock -> {
          if (!mayBlock) {
            return AppenderTask.BLOCKS;
          }
          done.complete(null);
          return NEVER;
        };
    AppenderTask task = new AppenderTask("test", full, step);
    task.start();
    done.join();
    assertThat(task.stop().join()).isEqualTo(State.CLOSED);
    assertThat(rejected).hasValue(3);
  }

  @Test
  void aTaskWithoutLoopsEnds() {
    AppenderTask task = task(mayBlock -> NEVER);
    loop.shutdownNow();
    task.start();
    assertThat(task.stop().join()).isEqualTo(State.CLOSED);
  }

  @Test
  void aThreadRunsTheStepsThatItCausesAfterwards() {
    List<String> order = new ArrayList<>();
    CompletableFuture<Void> begun = new CompletableFuture<>();
    AppenderTask task =
        task(
            mayBlock -> {
              order.add(Thread.currentThread().getName());
              begun.complete(null);
              return NEVER;
            });
    task.start();
    begun.join();
    awaitIdleLoop();
    threads.runningSteps(
        () -> {
          task.wake();
          task.wake();
          order.add("work");
          return null;
        });
    task.stop().join();
    assertThat(order).hasSize(3);
    assertThat(order.get(0)).startsWith("loop");
    assertThat(order.subList(1, 3)).containsExactly("work", Thread.currentThread().getName());
  }

  private void awaitIdleLoop() {
    CompletableFuture.runAsync(() -> {}, loop).join();
  }
}
