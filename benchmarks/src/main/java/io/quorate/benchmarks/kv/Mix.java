package io.quorate.benchmarks.kv;

import java.util.Locale;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Which calls clients send, at random and independently of each other.
 *
 * @param shares of the calls, above 0, by their kind; together 1
 */
public record Mix(Map<CallKind, Double> shares) {
  private static final double ROUNDING = 1e-9;
  private static final double PERCENT = 100;

  /**
   * @throws IllegalArgumentException if the shares are not those of a whole
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

  /** One kind alone. */
  public static Mix of(CallKind only) {
    return new Mix(Map.of(only, 1.0));
  }

  /**
   * Two kinds.
   *
   * @param share of the first, from 0 to 1; the other has the rest
   */
  public static Mix of(CallKind first, double share, CallKind other) {
    if (share == 0 || share == 1) {
      return of(share == 1 ? first : other);
    }
    return new Mix(Map.of(first, share, other, 1 - share));
  }

  /** The share of calls of this kind; 0 if there are none. */
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
    // Shares add up to 1 but for rounding.
    return last;
  }

  /** In words, such as {@code 50 % get, 50 % put}. */
  @Override
  public String toString() {
    return shares.keySet().stream()
        .sorted()
        .map(kind -> String.format(Locale.ROOT, "%.0f %% %s", share(kind) * PERCENT, kind))
        .collect(Collectors.joining(", "));
  }
}
