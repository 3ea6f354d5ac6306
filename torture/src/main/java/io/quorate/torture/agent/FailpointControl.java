package io.quorate.torture.agent;

import io.quorate.common.Failpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Executes the failpoint orders of a node, whose file it polls on a thread of its own. */
final class FailpointControl {
  private static final long POLL_MILLIS = 50;

  /**
   * Orders wait until the node has so many failpoints: it has more when it serves, and fewer before
   * it has opened its data.
   */
  private static final int FAILPOINTS_MIN = 12;

  /** The exit code of a process that was ended by SIGKILL. */
  private static final int KILLED = 137;

  private final Path orders;
  private final Consumer<String> log;
  private Optional<FailpointOrder> current = Optional.empty();
  private CountDownLatch withdrawn = new CountDownLatch(1);

  FailpointControl(Path orders, Consumer<String> log) {
    this.orders = orders;
    this.log = log;
  }

  void start() {
    Thread thread = new Thread(this::run, "harness-failpoints");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      while (true) {
        poll();
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      log.accept("Orders are no longer executed: " + e);
    }
  }

  private void poll() throws IOException {
    Optional<FailpointOrder> next = FailpointOrder.read(orders);
    if (next.equals(current) || Failpoint.known().size() < FAILPOINTS_MIN) {
      return;
    }
    Failpoint.known().forEach(Failpoint::off);
    withdrawn.countDown();
    withdrawn = new CountDownLatch(1);
    current = next;
    log.accept(next.map(order -> "Order: " + order.line()).orElse("Order withdrawn"));
    next.ifPresent(this::execute);
  }

  private void execute(FailpointOrder order) {
    CountDownLatch cancelled = withdrawn;
    if (order instanceof FailpointOrder.CrashAtAny crash) {
      List<Failpoint> all = List.copyOf(Failpoint.known());
      all.get(new Random(crash.seed()).nextInt(all.size())).on(this::crash);
    } else if (order instanceof FailpointOrder.CrashAt crash) {
      Failpoint.named(crash.failpoint()).on(this::crash);
    } else if (order instanceof FailpointOrder.StallAt stall) {
      Failpoint.known().stream()
          .filter(point -> point.name().endsWith(stall.nameSuffix()))
          .forEach(point -> point.on((at, subject) -> await(cancelled)));
    } else if (order instanceof FailpointOrder.DelayAt delay) {
      Lock turn = new ReentrantLock(true);
      for (String name : delay.failpoints()) {
        Failpoint.named(name).on((at, subject) -> pass(turn, delay.micros()));
      }
    } else if (order instanceof FailpointOrder.CrashBetween between) {
      CountDownLatch arrived = new CountDownLatch(1);
      CountDownLatch passed = new CountDownLatch(1);
      Failpoint.named(between.second())
          .on(
              (at, subject) -> {
                if (arrived.getCount() == 0) {
                  passed.countDown();
                }
              });
      Failpoint.named(between.first())
          .on(
              (at, subject) -> {
                arrived.countDown();
                awaitEither(passed, cancelled);
                if (cancelled.getCount() > 0) {
                  crash(at, subject);
                }
              });
    }
  }

  private void crash(Failpoint at, Object subject) {
    log.accept("Crash at " + at + " of " + subject);
    Runtime.getRuntime().halt(KILLED);
  }

  private static void pass(Lock turn, long micros) {
    turn.lock();
    try {
      TimeUnit.MICROSECONDS.sleep(micros);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      turn.unlock();
    }
  }

  private static void await(CountDownLatch latch) {
    awaitEither(latch, latch);
  }

  private static void awaitEither(CountDownLatch first, CountDownLatch second) {
    try {
      while (!first.await(POLL_MILLIS, TimeUnit.MILLISECONDS) && second.getCount() > 0) {}
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
