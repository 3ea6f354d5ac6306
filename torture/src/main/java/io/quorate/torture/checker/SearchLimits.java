package io.quorate.torture.checker;

/**
 * The limits of the search for one group of keys, which ends with {@link Verdict.Unknown} when it
 * reaches one. They are counts, not times, so that a history has the same verdict on every machine.
 *
 * @param configurationsMax the maximum number of configurations entered; a million takes seconds
 * @param memoryBytesMax the approximate maximum memory for the entered configurations and their
 *     values
 */
public record SearchLimits(long configurationsMax, long memoryBytesMax) {
  public static final SearchLimits DEFAULT = new SearchLimits(5_000_000, 400L << 20);
}
