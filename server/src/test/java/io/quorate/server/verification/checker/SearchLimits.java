package io.quorate.server.verification.checker;

/**
 * How much a search may take for one group of keys before it gives up with {@link Verdict.Unknown}.
 * Counted, not timed, so that the same history gets the same verdict everywhere.
 *
 * @param configurations most configurations entered; a million takes seconds
 * @param memoryBytes about the most memory for remembering them and the values that they hold
 */
public record SearchLimits(long configurations, long memoryBytes) {
  public static final SearchLimits DEFAULT = new SearchLimits(5_000_000, 400L << 20);
}
