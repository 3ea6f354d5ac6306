package io.quorate.server.door;

import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.client.wire.Routing;
import io.quorate.client.wire.Status;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Answers requests that took longer than their clients wait. */
final class Deadlines implements AutoCloseable {
  private static final long TICK_MILLIS = 50;

  private final HashedWheelTimer timer =
      new HashedWheelTimer(
          new DefaultThreadFactory("quorate-deadlines", true), TICK_MILLIS, TimeUnit.MILLISECONDS);
  private final Duration longest;

  Deadlines(Duration longest) {
    this.longest = longest;
  }

  void armWrite(Request request, Routing routing) {
    long millis = millis(routing);
    request.expireAfter(
        timer,
        millis,
        Refusal.of(
            Status.INDETERMINATE, "The write had not been answered after " + millis + "ms."));
  }

  void armRead(Request request, Routing routing) {
    long millis = millis(routing);
    request.expireAfter(
        timer,
        millis,
        Refusal.unavailable("The read had not been answered after " + millis + "ms."));
  }

  private long millis(Routing routing) {
    return Math.min(routing.timeoutMillis(), longest.toMillis());
  }

  @Override
  public void close() {
    timer.stop();
  }
}
