package io.quorate.benchmarks.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.testing.EmbeddedCluster;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class OpenLoopTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int IN_FLIGHT_MAX = 8;
  private static final double RATE = 1000;
  private static final CompletionStage<?> DONE = CompletableFuture.completedFuture(null);

  private final Population keys = new Population(new KeySpace(100));
  private final KvWorkload puts = new KvWorkload(Operations.PUT, IN_FLIGHT_MAX, 16, 0);

  /** Advances while the loop waits, and where a call of a test takes time. */
  private final AtomicLong now = new AtomicLong(-SECOND);

  private final OpenLoopStats stats = new OpenLoopStats(SECOND);

  private CompletableFuture<Void> run(long rampNanos, Supplier<CompletionStage<?>> server) {
    return new OpenLoop(List.of(new ScriptedCalls(server)), keys, now::get, now::addAndGet)
        .run(puts, RATE, 1, rampNanos, SECOND, stats);
  }

  /** The standard deviation of the number of calls in a second is 32. */
  @Test
  void callsArriveAtTheOfferedRateAndAreCountedAfterTheRampUp() {
    AtomicInteger sent = new AtomicInteger();

    run(
            SECOND,
            () -> {
              sent.incrementAndGet();
              return DONE;
            })
        .join();

    assertThat(stats.offeredRate()).isCloseTo(RATE, within(150.0));
    assertThat((double) sent.get()).isCloseTo(2 * RATE, within(200.0));
    assertThat(stats.throughput()).isEqualTo(stats.offeredRate());
    assertThat((double) stats.calls().all().count()).isEqualTo(stats.offeredRate());
    assertThat(stats.droppedPercent()).isZero();
    assertThat(stats.calls().all().millis(100)).isZero();
  }

  /** The sender is stopped for a tenth of a second; calls take no time otherwise. */
  @Test
  void latencyCountsFromTheIntendedStartOfACallThatIsSentLate() {
    AtomicInteger sent = new AtomicInteger();
    long stop = SECOND / 10;

    run(
            0,
            () -> {
              if (sent.getAndIncrement() == 0) {
                now.addAndGet(stop);
              }
              return DONE;
            })
        .join();

    // A tenth of the calls was due meanwhile, evenly spread over that time.
    assertThat(stats.calls().all().millis(100)).isCloseTo(100, within(1.0));
    assertThat(stats.calls().all().millis(95)).isCloseTo(50, within(15.0));
    assertThat(stats.calls().all().millis(85)).isZero();
    assertThat(stats.delays().millis(100)).isBetween(90.0, 100.0);
    assertThat(stats.throughput()).isEqualTo(stats.offeredRate());
  }

  @Test
  void callsBeyondTheBoundAreDroppedAndTheOthersAreAwaited() throws InterruptedException {
    Queue<CompletableFuture<Void>> inFlight = new ConcurrentLinkedQueue<>();
    CompletableFuture<Void> end =
        run(
            0,
            () -> {
              CompletableFuture<Void> call = new CompletableFuture<>();
              inFlight.add(call);
              return call;
            });
    awaitSender();

    assertThat(inFlight).hasSize(IN_FLIGHT_MAX);
    assertThat(end).isNotDone();
    now.set(0);
    inFlight.forEach(call -> call.complete(null));
    end.join();

    double dropped = stats.offeredRate() - IN_FLIGHT_MAX;
    assertThat(stats.droppedPercent())
        .isCloseTo(100 * dropped / stats.offeredRate(), within(1e-6))
        .isPositive();
    assertThat(stats.calls().all().count()).isEqualTo(IN_FLIGHT_MAX);
    // They completed after the measured time, and waited for nearly all of it.
    assertThat(stats.throughput()).isZero();
    assertThat(stats.calls().all().meanMillis()).isBetween(950.0, 1000.0);
  }

  private static void awaitSender() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("open-loop")) {
        thread.join();
      }
    }
  }

  @Test
  void failuresAreCountedAndHaveNoLatency() {
    run(0, () -> CompletableFuture.failedFuture(new IllegalStateException("refused"))).join();

    assertThat((double) stats.calls().errors()).isEqualTo(stats.offeredRate()).isPositive();
    assertThat(stats.calls().firstError())
        .get()
        .hasToString("java.lang.IllegalStateException: refused");
    assertThat(stats.calls().all().count()).isZero();
    assertThat(stats.throughput()).isZero();
  }

  @Test
  void aCallThatCannotBeSentEndsTheRun() {
    assertThatThrownBy(
            () ->
                run(
                        0,
                        () -> {
                          throw new IllegalStateException("closed");
                        })
                    .join())
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aCancelledRunSendsNothingMore() throws InterruptedException {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    AtomicInteger sent = new AtomicInteger();
    CompletableFuture<Void> end =
        run(
            0,
            () -> {
              sent.incrementAndGet();
              first.countDown();
              try {
                cancelled.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return DONE;
            });
    first.await();

    end.cancel(false);
    cancelled.countDown();

    assertThatThrownBy(end::join).isInstanceOf(CancellationException.class);
    awaitSender();
    assertThat(sent).hasValue(1);
  }

  @Test
  void aNodeServesAnOpenLoop() throws IOException, InterruptedException {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1);
        ClientPool clients = ClientPool.to(cluster.addresses());
        ProgressLine progress = ProgressLine.onStandardError()) {
      KvRun run = new KvRun(clients.calls(), keys, progress, System::nanoTime);
      run.preload(16);

      OpenLoopStats measured =
          run.runOpen("", new KvWorkload(Operations.MIXED, 64, 16, 0.5), 200, 0, 0, SECOND);

      long sent = Math.round(measured.offeredRate() * (1 - measured.droppedPercent() / 100));
      assertThat(measured.calls().all().count() + measured.calls().errors()).isEqualTo(sent);
      assertThat(measured.calls().errors()).isZero();
      assertThat(measured.calls().reads().meanMillis()).isPositive();
      assertThat(measured.calls().writes().meanMillis()).isPositive();
      assertThat(measured.delays().count()).isEqualTo(sent);
    }
  }
}
