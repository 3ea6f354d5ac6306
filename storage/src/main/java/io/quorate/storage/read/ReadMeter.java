package io.quorate.storage.read;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Measures the reads of one region, and the cost of reading and applying. Any thread. */
public final class ReadMeter {
  private static final long POSITIONS_MAX = 65_536;
  private static final double NANOS_PER_SECOND = 1e9;

  private final MovingAverage rowNanos = new MovingAverage();
  private final MovingAverage applyNanos = new MovingAverage();
  private final Map<ScanPlan.Way, LongAdder> scans = new EnumMap<>(ScanPlan.Way.class);
  private final Map<ScanPlan.Way, MetricsSink.Counter> counters = new EnumMap<>(ScanPlan.Way.class);
  private final MetricsSink.Distribution gaps;

  private volatile long readIndex = Position.NONE.index();

  public ReadMeter(MetricsSink telemetry, GroupId region) {
    Map<String, String> tags = Map.of("region", region.toString());
    for (ScanPlan.Way way : ScanPlan.Way.values()) {
      String name = way.name().toLowerCase(Locale.ROOT);
      scans.put(way, new LongAdder());
      counters.put(
          way,
          telemetry.counter(
              "storage.scans",
              "Scans, by the way they were read",
              Map.of("region", region.toString(), "way", name)));
    }
    gaps =
        telemetry.distribution(
            "storage.read.gap.positions",
            "Positions not applied when a read came",
            Map.of(),
            POSITIONS_MAX);
    telemetry.gauge(
        "storage.read.index", "Position that a read waited for last", tags, () -> readIndex);
    telemetry.gauge(
        "storage.scan.row.seconds",
        "Cost of a row in a scan, a moving average",
        tags,
        () -> seconds(rowNanos.value()));
    telemetry.gauge(
        "storage.apply.position.seconds",
        "Cost of applying a position, a moving average",
        tags,
        () -> seconds(applyNanos.value()));
  }

  private static double seconds(OptionalDouble nanos) {
    return nanos.orElse(Double.NaN) / NANOS_PER_SECOND;
  }

  /** Records the position that a read has to wait for. */
  public void waitsFor(Position position, Position applied) {
    // Not the maximum: a client may request any position.
    readIndex = position.index();
    gaps.record(Math.max(0, position.index() - applied.index()));
  }

  /** Records a scan. */
  void scanned(ScanPlan.Way way) {
    scans.get(way).increment();
    counters.get(way).add(1);
  }

  /** Records the rows that a scan read from the database. */
  public void rowsRead(long rows, long nanos) {
    rowNanos.add(rows, nanos);
  }

  /** Records applied positions. */
  public void applied(long positions, long nanos) {
    applyNanos.add(positions, nanos);
  }

  CostModel.Costs costs() {
    return new CostModel.Costs(rowNanos.value(), applyNanos.value());
  }

  public ReadStatistics statistics() {
    return new ReadStatistics(
        readIndex,
        rowNanos.value(),
        applyNanos.value(),
        scans.get(ScanPlan.Way.MERGE).sum(),
        scans.get(ScanPlan.Way.IMMEDIATE).sum(),
        scans.get(ScanPlan.Way.RELAXED).sum());
  }

  /** Moving average of the cost of one item; the last few dozen samples weigh most. */
  private static final class MovingAverage {
    private static final double WEIGHT_OF_NEWEST = 1.0 / 16;

    /** The bits of a double, which is NaN before the first sample. */
    private final AtomicLong bits = new AtomicLong(Double.doubleToRawLongBits(Double.NaN));

    /** Adds the total cost of several items; ignored if there were none. */
    void add(long count, long total) {
      if (count < 1) {
        return;
      }
      double sample = (double) total / count;
      bits.updateAndGet(
          before -> {
            double average = Double.longBitsToDouble(before);
            return Double.doubleToRawLongBits(
                Double.isNaN(average) ? sample : average + WEIGHT_OF_NEWEST * (sample - average));
          });
    }

    OptionalDouble value() {
      double average = Double.longBitsToDouble(bits.get());
      return Double.isNaN(average) ? OptionalDouble.empty() : OptionalDouble.of(average);
    }
  }
}
