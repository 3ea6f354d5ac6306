package io.quorate.server.rpc;

import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.client.wire.Routing;
import io.quorate.client.wire.Status;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Fails requests that exceed their timeout. */
final class RequestTimeouts implements AutoCloseable {
  private static final long TICK_MILLIS = 50;

  private final HashedWheelTimer timer =
      new HashedWheelTimer(
          new DefaultThreadFactory("quorate-deadlines", true), TICK_MILLIS, TimeUnit.MILLISECONDS);
  private final Duration timeoutMax;

  RequestTimeouts(Duration timeoutMax) {
    this.timeoutMax = timeoutMax;
  }

  void armWrite(Request request, Routing routing) {
    long millis = millis(routing);
    request.expireAfter(
        timer,
        millis,
        () ->
            RequestRejected.of(
                Status.INDETERMINATE, "The write had no result after " + millis + "ms."));
  }

  void armRead(Request request, Routing routing) {
    long millis = millis(routing);
    request.expireAfter(
        timer,
        millis,
        () -> RequestRejected.unavailable("The read had no result after " + millis + "ms."));
  }

  private long millis(Routing routing) {
    return Math.min(routing.timeoutMillis(), timeoutMax.toMillis());
  }

  @Override
  public void close() {
    timer.stop();
  }
}
