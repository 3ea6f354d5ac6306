package io.quorate.server.rpc.request;

import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
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

  private final HashedWheelTimer timer =
      new HashedWheelTimer(
          new DefaultThreadFactory("quorate-deadlines", true), TICK_MILLIS, TimeUnit.MILLISECONDS);
  private final Duration timeoutMax;

  public RequestTimeouts(Duration timeoutMax) {
    this.timeoutMax = timeoutMax;
  }

  public void armWrite(Request request, Routing routing) {
    long millis = millis(routing);
    request.expireAfter(
        timer,
        millis,
        () ->
            RequestRejected.of(
                Status.INDETERMINATE, "The write had no result after " + millis + "ms."));
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
        millis - Math.min(EARLIER_MILLIS_MAX, millis / EARLIER_DIVISOR),
        () ->
            RequestRejected.unavailable(
                obstacle.get().orElseGet(() -> "The read had no result after " + millis + "ms.")));
  }

  private long millis(Routing routing) {
    return Math.min(routing.timeoutMillis(), timeoutMax.toMillis());
  }

  @Override
  public void close() {
    timer.stop();
  }
}
