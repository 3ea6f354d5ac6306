package io.quorate.benchmarks.overload;

import java.time.Duration;
import java.util.List;

/**
 * For how long, and with how much.
 *
 * @param multiples of the peak that are offered, ascending
 * @param last how long the last of them is offered, and {@code level} all others
 */
record OverloadScale(Duration warmup, Duration level, Duration last, List<Double> multiples) {
  OverloadScale {
    multiples = List.copyOf(multiples);
  }

  long levelNanos(double multiple) {
    return (multiple == multiples.get(multiples.size() - 1) ? last : level).toNanos();
  }
}
