package io.quorate.client.internal.connection;

import io.quorate.common.Backoff;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * The pauses between attempts, which become longer with every failure. Random numbers are an input.
 * Any thread; nothing blocks.
 */
public final class Pauses {
  /**
   * The longest pause after a handshake that failed, or was refused, on an established connection.
   */
  private static final Duration GREETING_MAX = Duration.ofSeconds(8);

  private final Backoff calls;
  private final Backoff greetings;
  private final Duration max;
  private final DoubleSupplier random;

  /**
   * @param min the upper bound of the first pause
   * @param max the upper bound of every pause of a call
   * @param random returns numbers from 0, inclusive, to 1
   */
  public Pauses(Duration min, Duration max, DoubleSupplier random) {
    this.calls = new Backoff(min, max);
    this.greetings = new Backoff(min, max.compareTo(GREETING_MAX) > 0 ? max : GREETING_MAX);
    this.max = max;
    this.random = random;
  }

  /** The upper bound of every pause of a call. */
  public Duration max() {
    return max;
  }

  /** A random pause whose upper bound doubles with every failure before it ("full jitter"). */
  public Duration after(int failuresBefore) {
    return Duration.ofNanos((long) (calls.nanos(failuresBefore) * random.getAsDouble()));
  }

  /**
   * The pause after a handshake that a node has not completed, which doubles far beyond that of a
   * call: the work for handshakes must become less while a node cannot keep up with them. A random
   * part of the upper half, so that clients do not come back together.
   *
   * @param retryAfter what the node asked for, the shortest pause
   */
  public Duration afterGreeting(int failuresBefore, Duration retryAfter) {
    double fraction = (1 + random.getAsDouble()) / 2;
    Duration pause = Duration.ofNanos((long) (greetings.nanos(failuresBefore) * fraction));
    Duration requested = retryAfter.compareTo(GREETING_MAX) < 0 ? retryAfter : GREETING_MAX;
    return pause.compareTo(requested) > 0 ? pause : requested;
  }
}
