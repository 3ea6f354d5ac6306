package io.quorate.replication.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.replication.threads.LoopTask.Next;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Steps run when the test runs what waits on the loops. */
class LoopTaskTest {
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final List<String> done = new ArrayList<>();
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private boolean hasEnded;
  private final SharedLoops loops =
      new SharedLoops(
          task -> {
            if (hasEnded) {
              throw new RejectedExecutionException();
            }
            waiting.add(task);
          },
          Runnable::run,
          timer);

  @AfterEach
  void close() {
    timer.shutdownNow();
  }

  private void runAll() {
    for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
      next.run();
    }
  }

  private Next step(String name) {
    done.add(name);
    return Next.WAIT;
  }

  @Test
  void wakesBeforeAStepShareIt() {
    LoopTask task = new LoopTask(loops, mayBlock -> step("a"));
    task.wake();
    task.wake();
    runAll();
    assertThat(done).containsExactly("a");
    task.wake();
    runAll();
    assertThat(done).containsExactly("a", "a");
  }

  @Test
  void anEarlierTimeWakesALaterOneDoesNot() {
    Queue<Long> times = new ArrayDeque<>(List.of(3600L, 7200L, 0L, 3600L));
    LoopTask[] task = new LoopTask[1];
    task[0] =
        new LoopTask(
            loops,
            mayBlock -> {
              task[0].wakeAt(System.nanoTime() + TimeUnit.SECONDS.toNanos(times.remove()));
              return step("a");
            });
    task[0].wake();
    runAll();
    task[0].wake();
    runAll();
    assertThat(timer.getQueue()).hasSize(1);
    task[0].wake();
    // The timer may wake it while the step runs that asks for it.
    await()
        .until(
            () -> {
              runAll();
              return done.size() == 4;
            });
  }

  @Test
  void aWakeDuringAStepLeadsToAnother() {
    LoopTask[] task = new LoopTask[1];
    task[0] =
        new LoopTask(
            loops,
            mayBlock -> {
              if (done.isEmpty()) {
                task[0].wake();
              }
              return step("a");
            });
    task[0].wake();
    runAll();
    assertThat(done).containsExactly("a", "a");
  }

  @Test
  void aStepThatGoesOnIsBehindTheOthers() {
    LoopTask other = new LoopTask(loops, mayBlock -> step("other"));
    LoopTask task =
        new LoopTask(
            loops,
            mayBlock -> {
              step("part");
              return done.size() < 3 ? Next.AGAIN : Next.WAIT;
            });
    loops.runningSteps(
        () -> {
          task.wake();
          other.wake();
        });
    assertThat(done).containsExactly("part", "other");
    runAll();
    assertThat(done).containsExactly("part", "other", "part");
  }

  @Test
  void stepsThatFollowFromOthersRunOnTheSameThread() {
    LoopTask third = new LoopTask(loops, mayBlock -> step("third"));
    LoopTask second =
        new LoopTask(
            loops,
            mayBlock -> {
              third.wake();
              return step("second");
            });
    loops.runningSteps(
        () -> {
          second.wake();
          step("first");
        });
    assertThat(waiting).isEmpty();
    assertThat(done).containsExactly("first", "second", "third");
    second.wake();
    waiting.remove().run();
    assertThat(waiting).isEmpty();
    assertThat(done.subList(3, 5)).containsExactly("second", "third");
  }

  @Test
  void aLongStepFollowsOnTheSameThread() {
    LoopTask last = LoopTask.ofLongSteps(loops, mayBlock -> step("long"));
    LoopTask first =
        new LoopTask(
            loops,
            mayBlock -> {
              last.wake();
              return step("first");
            });
    loops.runningSteps(first::wake);
    assertThat(waiting).isEmpty();
    assertThat(done).containsExactly("first", "long");
  }

  @Test
  void noStepWaitsForALongOne() {
    LoopTask other = new LoopTask(loops, mayBlock -> step("other"));
    LoopTask last =
        LoopTask.ofLongSteps(
            loops,
            mayBlock -> {
              // As while it is held up.
              other.wake();
              assertThat(waiting).isNotEmpty();
              return step("long");
            });
    loops.runningSteps(last::wake);
    assertThat(done).containsExactly("long");
    runAll();
    done.clear();

    loops.runningSteps(
        () -> {
          last.wake();
          other.wake();
        });
    assertThat(done).containsExactly("other");
    runAll();
    assertThat(done).contains("long");
  }

  @Test
  void aStepThatThrowsKeepsNoOthersFromRunning() {
    LoopTask failing =
        new LoopTask(
            loops,
            mayBlock -> {
              step("failing");
              throw new IllegalStateException("on purpose");
            });
    LoopTask other = new LoopTask(loops, mayBlock -> step("other"));
    loops.runningSteps(
        () -> {
          failing.wake();
          loops.runSoon(
              () -> {
                throw new IllegalStateException("on purpose");
              });
          other.wake();
        });
    assertThat(loops.isRunningSteps()).isFalse();
    failing.wake();
    runAll();
    assertThat(done).containsExactly("failing", "other", "failing");
  }

  @Test
  void aStepThatBlocksIsHandedOver() {
    LoopTask task =
        new LoopTask(
            loops,
            mayBlock -> {
              step(mayBlock ? "reader" : "loop");
              return mayBlock ? Next.WAIT : Next.BLOCKS;
            });
    task.wake();
    runAll();
    assertThat(done).containsExactly("loop", "reader");
  }

  @Test
  void thereIsNoStepAfterTheEnd() {
    LoopTask task =
        new LoopTask(
            loops,
            mayBlock -> {
              step("a");
              return Next.END;
            });
    task.wake();
    runAll();
    task.wake();
    runAll();
    assertThat(done).containsExactly("a");
  }

  @Test
  void whoWakesATaskIsToldThatTheLoopsHaveEnded() {
    LoopTask task =
        new LoopTask(
            loops,
            new LoopTask.Step() {
              @Override
              public Next run(boolean mayBlock) {
                return step("a");
              }

              @Override
              public void rejected() {
                done.add("rejected");
              }
            });
    hasEnded = true;
    task.wake();
    task.wake();
    assertThat(done).containsExactly("rejected", "rejected");
  }
}
