package io.quorate.server.rpc.request;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.consensus.Command;
import io.quorate.protocol.wire.Routing;
import io.quorate.protocol.wire.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Fails requests that exceed their timeout. */
public final class RequestTimeouts implements AutoCloseable {
  private static final long TICK_MILLIS = 50;

  /** The most that a timer is late, and a response needs. */
  private static final long EARLIER_MILLIS_MAX = 5 * TICK_MILLIS;

  private static final int EARLIER_DIVISOR = 4;

  /** A longer queue would serve nobody better. */
  private static final long QUEUE_MILLIS_MAX = 1_000;

  private final Timer timer;
  private final Duration timeoutMax;

  public RequestTimeouts(Duration timeoutMax) {
    this(
        timeoutMax,
        new HashedWheelTimer(
            new DefaultThreadFactory("quorate-deadlines", true),
            TICK_MILLIS,
            TimeUnit.MILLISECONDS));
  }

  RequestTimeouts(Duration timeoutMax, Timer timer) {
    this.timeoutMax = timeoutMax;
    this.timer = timer;
  }

  public void armWrite(Request request, Routing routing) {
    long millis = millis(routing);
    request.expireAfter(timer, millis, () -> noResult(millis));
  }

  /**
   * For a write whose command may wait in a queue. If it still does shortly before its client gives
   * up, it is withdrawn, and the client learns that it had no effect.
   *
   * @param command what is proposed first, not proposed yet
   */
  public void armWrite(Request request, Routing routing, Command command) {
    long millis = millis(routing);
    long beforeMillis = earlier(millis);
    request.runAfter(
        timer,
        millis - beforeMillis,
        () -> {
          if (command.withdraw()) {
            request.fail(
                RequestRejected.unavailable(
                    "The write waited in the queue for "
                        + (millis - beforeMillis)
                        + "ms, and was withdrawn before it had an effect."));
          } else {
            request.expireAfter(timer, beforeMillis, () -> noResult(millis));
          }
        });
  }

  /** For how long the command of a write may wait in a queue before it is withdrawn, at most. */
  public long queueNanosMax(Routing routing) {
    long millis = millis(routing);
    return TimeUnit.MILLISECONDS.toNanos(Math.min(QUEUE_MILLIS_MAX, millis - earlier(millis)));
  }

  private static RequestRejected noResult(long millis) {
    return RequestRejected.of(
        Status.INDETERMINATE, "The write had no result after " + millis + "ms.");
  }

  public void armRead(Request request, Routing routing) {
    long millis = millis(routing);
    request.expireAfter(
        timer,
        millis,
        () -> RequestRejected.unavailable("The read had no result after " + millis + "ms."));
  }

  /**
   * For a read that waits for a position. It fails before its client gives up, which so learns why.
   *
   * @param obstacle what the read waits for, a sentence; empty if it does not wait any more
   */
  public void armReadAtLeast(
      Request request, Routing routing, Supplier<Optional<String>> obstacle) {
    long millis = millis(routing);
    request.expireAfter(
        timer,
        millis - earlier(millis),
        () ->
            RequestRejected.unavailable(
                obstacle.get().orElseGet(() -> "The read had no result after " + millis + "ms.")));
  }

  /** How much earlier a request ends whose client is to learn why. */
  private static long earlier(long millis) {
    return Math.min(EARLIER_MILLIS_MAX, millis / EARLIER_DIVISOR);
  }

  private long millis(Routing routing) {
    return Math.min(routing.timeoutMillis(), timeoutMax.toMillis());
  }

  @Override
  public void close() {
    timer.stop();
  }
}
