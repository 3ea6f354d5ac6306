package io.quorate.torture.testbed.agent;

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
    if (next.equals(current) || ofTheNode().size() < FAILPOINTS_MIN) {
      return;
    }
    Failpoint.known().forEach(Failpoint::off);
    withdrawn.countDown();
    withdrawn = new CountDownLatch(1);
    current = next;
    log.accept(next.map(order -> "Order: " + order.line()).orElse("Order withdrawn"));
    next.ifPresent(order -> order.accept(new Execution(withdrawn)));
  }

  /** Without those of the client by which the node requests something of others. */
  private static List<Failpoint> ofTheNode() {
    return Failpoint.known().stream().filter(point -> !point.name().startsWith("client.")).toList();
  }

  /** Sets the failpoints to what an order demands. */
  private final class Execution implements FailpointOrder.Visitor {
    /** Is counted down when the order is withdrawn. */
    private final CountDownLatch cancelled;

    private Execution(CountDownLatch cancelled) {
      this.cancelled = cancelled;
    }

    @Override
    public void crashAtAny(FailpointOrder.CrashAtAny order) {
      List<Failpoint> all = ofTheNode();
      all.get(new Random(order.seed()).nextInt(all.size())).on(FailpointControl.this::crash);
    }

    @Override
    public void crashAt(FailpointOrder.CrashAt order) {
      Failpoint.named(order.failpoint()).on(FailpointControl.this::crash);
    }

    @Override
    public void stallAt(FailpointOrder.StallAt order) {
      Failpoint.known().stream()
          .filter(point -> point.name().endsWith(order.nameSuffix()))
          .forEach(point -> point.on((at, subject) -> await(cancelled)));
    }

    @Override
    public void delayAt(FailpointOrder.DelayAt order) {
      Lock turn = new ReentrantLock(true);
      for (String name : order.failpoints()) {
        Failpoint.named(name).on((at, subject) -> pass(turn, order.micros()));
      }
    }

    @Override
    public void crashBetween(FailpointOrder.CrashBetween order) {
      CountDownLatch arrived = new CountDownLatch(1);
      CountDownLatch passed = new CountDownLatch(1);
      Failpoint.named(order.second())
          .on(
              (at, subject) -> {
                if (arrived.getCount() == 0) {
                  passed.countDown();
                }
              });
      Failpoint.named(order.first())
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
