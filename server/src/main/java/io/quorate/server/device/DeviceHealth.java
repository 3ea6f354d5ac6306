package io.quorate.server.device;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Stream;

/**
 * Decides from the times of its fsyncs whether a device has become slow. Pure: time is a parameter.
 * Not thread-safe.
 *
 * <p><b>Slow</b> is a device if the median of its last three fsyncs exceeds {@link
 * #thresholdNanos}, or one of them takes more than 1.1 s, also before it has returned. The fsync in
 * progress counts in the median as soon as it exceeds the threshold. As {@link SyncWatch} begins
 * them half a second apart, three of them extend over more than a second, so that a device which is
 * throttled in slices of 100 ms is judged over many slices, and one fsync of up to 1 s among fast
 * ones is not slow. A device that becomes slow or hangs is reported within 2.5 s: 0.5 s until an
 * fsync begins, at most 1.1 s for it and 0.3 s for the next, and 0.5 s until the next tick.
 *
 * <p><b>The threshold</b> is the given one or, if that is more, eight times the device's own
 * long-term average, and then at most 0.3 s. The average lets a class of slow disks vary as much as
 * a fast disk below the given threshold may. It is bounded because beyond that no device serves a
 * consensus log well, whatever its past. The average rises within an hour and falls within minutes:
 * a device that degrades gradually must not become its own standard, and a node that was started
 * beside other load must not be tolerant for long. Fsyncs above the threshold, and those of a slow
 * device, do not count in it.
 *
 * <p><b>Well again</b> is a device when for the whole recovery time no tick found it slow, and its
 * fsyncs completed; a device that is slow for a second every few seconds stays slow.
 *
 * <p><b>A pause</b> of the process, as by SIGSTOP or by a virtual machine that is moved, is no
 * fault of the device: if more than a second has passed since the previous tick, what came before
 * does not count, an fsync that was in progress meanwhile counts from the tick after the pause on,
 * and the recovery time begins again.
 */
public final class DeviceHealth {
  /** What the device is at present. */
  public enum State {
    WELL,
    SLOW
  }

  /** Threshold by default: an order of magnitude above what a hard disk takes. */
  public static final Duration THRESHOLD = Duration.ofMillis(100);

  /** Recovery time by default. */
  public static final Duration RECOVERY = Duration.ofSeconds(30);

  private static final int WINDOW = 3;
  private static final long HUNG_NANOS = 1_100_000_000L;

  /** Less than {@link #HUNG_NANOS}, so that a shorter pause does not look like a hung device. */
  private static final long PAUSE_NANOS = 1_000_000_000L;

  /** A device of which no fsync has completed for this long is not known to be well. */
  private static final long SILENT_NANOS = 2_000_000_000L;

  private static final int AVERAGE_FACTOR = 8;
  private static final long FROM_AVERAGE_NANOS_MAX = 300_000_000L;

  /** At two fsyncs a second, an hour and two minutes. */
  private static final double RISING_WEIGHT = 1.0 / 7200;

  private static final double FALLING_WEIGHT = 1.0 / 240;

  /** Half a minute of fsyncs, of which the first average is the mean. */
  private static final int FIRST = 60;

  private final long minimumThresholdNanos;
  private final long recoveryNanos;
  private final ArrayDeque<Long> window = new ArrayDeque<>();

  private State state = State.WELL;
  private boolean hasTicked;
  private long tickNanos;

  /** The end of the last pause, before which nothing counts. */
  private long sinceNanos;

  private long sampleNanos;
  private boolean isWell;
  private long wellNanos;
  private long judgedNanos;
  private double averageNanos;
  private long averaged;

  /**
   * @param threshold time of an fsync above which a device may be slow; positive. Above 0.3 s, a
   *     slow device is reported later than stated above.
   * @param recovery how long a slow device must be well before it is reported as well; not negative
   */
  public DeviceHealth(Duration threshold, Duration recovery) {
    if (threshold.isNegative() || threshold.isZero() || recovery.isNegative()) {
      throw new IllegalArgumentException(
          "A threshold is positive and a recovery time is not negative: "
              + threshold
              + ", "
              + recovery);
    }
    this.minimumThresholdNanos = threshold.toNanos();
    this.recoveryNanos = recovery.toNanos();
  }

  /**
   * Judges the device. To be called about twice a second, with the result of {@link
   * SyncWatch#take}. The first call only sets the beginning.
   *
   * @param nowNanos a monotonic clock; not less than in the call before
   * @return the state from now on
   */
  public State tick(long nowNanos, SyncSamples samples) {
    boolean isContinuous = hasTicked && nowNanos - tickNanos <= PAUSE_NANOS;
    hasTicked = true;
    tickNanos = nowNanos;
    if (isContinuous) {
      judge(nowNanos, samples);
    } else {
      sinceNanos = nowNanos;
      sampleNanos = nowNanos;
      window.clear();
      isWell = false;
    }
    return state;
  }

  /** The state of the last tick; well before the first. */
  public State state() {
    return state;
  }

  /** The time of an fsync in nanoseconds above which the device is slow at present. */
  public long thresholdNanos() {
    long fromAverage = Math.round(AVERAGE_FACTOR * averageNanos);
    return Math.max(minimumThresholdNanos, Math.min(FROM_AVERAGE_NANOS_MAX, fromAverage));
  }

  /** The recent time of an fsync in nanoseconds by which the last tick judged; 0 without one. */
  public long judgedNanos() {
    return judgedNanos;
  }

  private void judge(long nowNanos, SyncSamples samples) {
    List<Long> completed =
        samples.completedNanos().stream().map(nanos -> sincePause(nowNanos, nanos)).toList();
    completed.forEach(this::add);
    if (!completed.isEmpty()) {
      sampleNanos = nowNanos;
    }
    long inProgress = sincePause(nowNanos, samples.inProgressNanos());
    long longest = Math.max(inProgress, completed.stream().mapToLong(each -> each).max().orElse(0));
    boolean isHung = longest > Math.max(HUNG_NANOS, minimumThresholdNanos);
    long median = medianNanos(inProgress);
    judgedNanos = isHung ? Math.max(longest, median) : median;
    boolean isSlow = isHung || median > thresholdNanos();
    if (isSlow) {
      state = State.SLOW;
      isWell = false;
    } else if (state == State.SLOW) {
      recover(nowNanos);
    } else {
      completed.forEach(this::average);
    }
  }

  /** The part of a time up to now that is later than the last pause. */
  private long sincePause(long nowNanos, long nanos) {
    return Math.min(nanos, nowNanos - sinceNanos);
  }

  private void add(long nanos) {
    window.add(nanos);
    if (window.size() > WINDOW) {
      window.remove();
    }
  }

  /** The median of the last three, with the one in progress if it is slow; 0 if there are fewer. */
  private long medianNanos(long inProgressNanos) {
    Stream<Long> all =
        inProgressNanos > thresholdNanos()
            ? Stream.concat(window.stream(), Stream.of(inProgressNanos))
            : window.stream();
    List<Long> values = all.toList();
    return values.size() < WINDOW
        ? 0
        : values.stream().skip(values.size() - WINDOW).sorted().toList().get(WINDOW / 2);
  }

  private void recover(long nowNanos) {
    if (window.size() < WINDOW || nowNanos - sampleNanos > SILENT_NANOS) {
      isWell = false;
    } else if (!isWell) {
      isWell = true;
      wellNanos = nowNanos;
    }
    if (isWell && nowNanos - wellNanos >= recoveryNanos) {
      state = State.WELL;
    }
  }

  private void average(long nanos) {
    if (nanos <= thresholdNanos()) {
      averaged++;
      double weight = nanos > averageNanos ? RISING_WEIGHT : FALLING_WEIGHT;
      averageNanos += (nanos - averageNanos) * (averaged <= FIRST ? 1.0 / averaged : weight);
    }
  }
}
