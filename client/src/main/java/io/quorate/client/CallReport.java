package io.quorate.client;

import java.time.Duration;
import java.util.Optional;

/**
 * The outcome of a call.
 *
 * @param kind the kind of the call
 * @param time the time from the start of the call to its end, including all attempts and pauses
 * @param attempts the number of attempts, including those for which no request could be sent; 0 if
 *     the call ended before its first attempt
 * @param failure the exception with which the call failed; empty if it succeeded
 */
public record CallReport(
    Kind kind, Duration time, int attempts, Optional<QuorateException> failure) {
  /** The kind of a call. */
  public enum Kind {
    /** A read of one key. */
    READ,
    /** A read of one page of a range. */
    SCAN,
    /** A change of one key, or of several keys in a batch. */
    WRITE
  }
}
