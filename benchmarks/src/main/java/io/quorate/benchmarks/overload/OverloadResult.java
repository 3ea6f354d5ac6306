package io.quorate.benchmarks.overload;

import java.util.List;

/**
 * What was measured of one database with values of one length.
 *
 * @param peak puts per second of closed-loop clients
 * @param alone what the modest client saw without any other
 * @param recovered puts per second of the same clients in the fifth second after the last level
 */
record OverloadResult(
    String contender,
    int valueBytes,
    double peak,
    Regular.Seen alone,
    List<OverloadLevel> levels,
    double recovered) {
  OverloadResult {
    levels = List.copyOf(levels);
  }
}
