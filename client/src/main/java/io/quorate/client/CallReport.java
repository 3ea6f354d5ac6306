package io.quorate.client;

import java.time.Duration;
import java.util.Optional;

/**
 * How a call went.
 *
 * @param kind what it was for
 * @param time from the call to its end, with all attempts and pauses
 * @param attempts how often it was sent, or was to be; 0 if it ended while it waited for its turn
 * @param failure how it failed; empty if it did not
 */
public record CallReport(
    Kind kind, Duration time, int attempts, Optional<QuorateException> failure) {
  /** What a call is for. */
  public enum Kind {
    /** A read of one key. */
    READ,
    /** A read of one page of a range. */
    SCAN,
    /** A change, of one key or of several at once. */
    WRITE
  }
}
