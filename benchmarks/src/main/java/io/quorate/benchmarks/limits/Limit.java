package io.quorate.benchmarks.limits;

/** A limit of the machine. */
public enum Limit {
  SYNC_RATE("fsync-rate", "fsyncs/s"),
  SYNC_P50("fsync-p50", "ms"),
  DISK_BANDWIDTH("disk-bandwidth", "MB/s"),
  ROUND_TRIP_RATE("round-trip-rate", "round trips/s"),
  ROUND_TRIP_P50("round-trip-p50", "ms"),
  ROUND_TRIP_CPU("round-trip-cpu", "µs of both sides"),
  DATABASE_PUTS("rocksdb-put-rate", "puts/s"),
  MEMORY_COPY("memory-copy", "GB/s");

  private final String label;
  private final String unit;

  Limit(String label, String unit) {
    this.label = label;
    this.unit = unit;
  }

  /** The name in reports. */
  public String label() {
    return label;
  }

  public String unit() {
    return unit;
  }
}
