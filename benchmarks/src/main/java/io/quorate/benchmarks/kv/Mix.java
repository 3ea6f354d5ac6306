package io.quorate.benchmarks.kv;

import java.util.Locale;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * The distribution of the kinds of calls, which clients send at random and independently of each
 * other.
 *
 * @param shares fraction of the calls by kind; each above 0, in total 1
 */
public record Mix(Map<CallKind, Double> shares) {
  private static final double ROUNDING = 1e-9;
  private static final double PERCENT = 100;

  /**
   * @throws IllegalArgumentException if a share is not above 0, or their sum is not 1
   */
  public Mix {
    double whole = shares.values().stream().mapToDouble(Double::doubleValue).sum();
    if (shares.values().stream().anyMatch(share -> !(share > 0))
        || !(Math.abs(whole - 1) < ROUNDING)) {
      throw new IllegalArgumentException(
          "Shares of calls are above 0 and together 1, not " + shares + ".");
    }
    shares = Map.copyOf(shares);
  }

  /** Calls of one kind only. */
  public static Mix of(CallKind only) {
    return new Mix(Map.of(only, 1.0));
  }

  /**
   * Calls of two kinds.
   *
   * @param share fraction of the first kind, from 0 to 1; the other kind has the remainder
   */
  public static Mix of(CallKind first, double share, CallKind other) {
    if (share == 0 || share == 1) {
      return of(share == 1 ? first : other);
    }
    return new Mix(Map.of(first, share, other, 1 - share));
  }

  /** The fraction of calls of this kind; 0 if there are none. */
  public double share(CallKind kind) {
    return shares.getOrDefault(kind, 0.0);
  }

  /** The kind of the next call. */
  CallKind any(RandomGenerator random) {
    double at = random.nextDouble();
    CallKind last = CallKind.GET;
    for (CallKind kind : CallKind.values()) {
      double share = share(kind);
      if (share > 0) {
        last = kind;
        at -= share;
        if (at < 0) {
          return kind;
        }
      }
    }
    // Shares add up to 1 except for rounding.
    return last;
  }

  /** A description, such as {@code 50 % get, 50 % put}. */
  @Override
  public String toString() {
    return shares.keySet().stream()
        .sorted()
        .map(kind -> String.format(Locale.ROOT, "%.0f %% %s", share(kind) * PERCENT, kind))
        .collect(Collectors.joining(", "));
  }
}
