package io.quorate.benchmarks.paper.experiment;

import java.time.Duration;
import java.util.Locale;

/**
 * The time of an fsync, which is injected.
 *
 * @param log of the consensus log
 * @param data of the log and the tables of RocksDB
 */
public record SyncLatency(Duration log, Duration data) {
  /** That of the device. */
  public static final SyncLatency NONE = both(Duration.ZERO);

  private static final double NANOS_PER_MILLI = 1e6;

  /** The same for both. */
  public static SyncLatency both(Duration each) {
    return new SyncLatency(each, each);
  }

  /** The description in the names of cases; empty if nothing is injected. */
  String text() {
    if (equals(NONE)) {
      return "";
    }
    return log.equals(data)
        ? "fsyncs of " + millis(log) + " (injected)"
        : "fsyncs of "
            + millis(log)
            + " in the log and "
            + millis(data)
            + " in the data (injected)";
  }

  private static String millis(Duration duration) {
    String text = String.format(Locale.ROOT, "%.2f", duration.toNanos() / NANOS_PER_MILLI);
    return text.replaceAll("\\.?0+$", "") + " ms";
  }
}
