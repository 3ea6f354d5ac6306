package io.quorate.server.verification.agent;

import io.quorate.failpoint.Failpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Follows the orders that a node gets: looks for them many times a second. */
final class PointControl {
  private static final long LOOK_MILLIS = 50;

  /** Fewer points than a node has when it serves, and more than before it has opened its data. */
  private static final int POINTS_MIN = 12;

  private static final int KILLED = 137;

  private final Path orders;
  private final Consumer<String> log;
  private Optional<PointOrder> followed = Optional.empty();
  private CountDownLatch withdrawn = new CountDownLatch(1);

  PointControl(Path orders, Consumer<String> log) {
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
        look();
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      log.accept("No orders are followed any more: " + e);
    }
  }

  private void look() throws IOException {
    Optional<PointOrder> present = PointOrder.read(orders);
    if (present.equals(followed) || Failpoint.known().size() < POINTS_MIN) {
      return;
    }
    Failpoint.known().forEach(Failpoint::off);
    withdrawn.countDown();
    withdrawn = new CountDownLatch(1);
    followed = present;
    log.accept(present.map(order -> "Order: " + order.line()).orElse("Order withdrawn"));
    present.ifPresent(this::follow);
  }

  private void follow(PointOrder order) {
    CountDownLatch over = withdrawn;
    if (order instanceof PointOrder.CrashAtAny crash) {
      List<Failpoint> all = List.copyOf(Failpoint.known());
      all.get(new Random(crash.seed()).nextInt(all.size())).on(this::crash);
    } else if (order instanceof PointOrder.StallAt stall) {
      Failpoint.known().stream()
          .filter(point -> point.name().endsWith(stall.nameEnd()))
          .forEach(point -> point.on((at, subject) -> await(over)));
    } else if (order instanceof PointOrder.CrashBetween between) {
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
                awaitEither(passed, over);
                if (over.getCount() > 0) {
                  crash(at, subject);
                }
              });
    }
  }

  private void crash(Failpoint at, Object subject) {
    log.accept("Crash at " + at + " of " + subject);
    Runtime.getRuntime().halt(KILLED);
  }

  private static void await(CountDownLatch latch) {
    awaitEither(latch, latch);
  }

  private static void awaitEither(CountDownLatch one, CountDownLatch other) {
    try {
      while (!one.await(LOOK_MILLIS, TimeUnit.MILLISECONDS) && other.getCount() > 0) {}
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
