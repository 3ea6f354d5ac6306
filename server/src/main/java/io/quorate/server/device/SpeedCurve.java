package io.quorate.server.device;

import io.quorate.server.device.MonotoneFit.Point;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Estimates how many bytes of rows a second the storage engine absorbs on a device, from the write
 * speed of the device: a polynomial that is fitted to measured points, as in ALOR (Wang et al., NPC
 * 2018). Immutable; any thread.
 *
 * <p>The curve is positive and never falls ({@link MonotoneFit}). Both speeds are fitted as
 * logarithms: devices differ by factors, so that in a linear scale the fastest one alone would
 * determine the fit, and a polynomial of logarithms cannot become negative. Points whose device
 * speeds differ by less than a quarter count as one device that was measured repeatedly, because a
 * polynomial through them would follow the noise.
 *
 * <p>Below the slowest point, the KV speed falls in proportion to the device speed: there the
 * device limits the engine, which writes the same number of bytes for a row on any device. Above
 * the fastest point, the curve continues as a straight line in logarithms with the slope between
 * the last two points. It is at least flat, since no device makes the engine slower by being
 * faster, and at most in proportion, since no engine gains more than the device does. Where the
 * points have shown that the processor is the limit, the line is nearly flat.
 *
 * <p>Points of one device only determine the level of the curve and not its shape, which is then
 * that of {@link #DEFAULT}.
 */
public final class SpeedCurve {
  private static final double SAME_DEVICE_RATIO = 1.25;

  /**
   * Measured by {@code quorate probe --calibrate} for 8 and 10 s each, on 2 cores (load average 1.2
   * to 2.9), and on throttled devices but for the last, which was memory. From the fourth on, the
   * processor limits the engine.
   */
  private static final List<CalibrationPoint> BUILT_IN =
      List.of(
          new CalibrationPoint(20_900_000, 11_500_000),
          new CalibrationPoint(62_300_000, 25_500_000),
          new CalibrationPoint(125_000_000, 55_800_000),
          new CalibrationPoint(209_000_000, 90_400_000),
          new CalibrationPoint(526_000_000, 80_200_000),
          new CalibrationPoint(3_100_000_000L, 114_000_000));

  /** The curve through the built-in points, for nodes without a calibration of their own. */
  public static final SpeedCurve DEFAULT = fitted(BUILT_IN, devices(BUILT_IN));

  private final List<CalibrationPoint> points;

  /** From the natural logarithm of the device speed to that of the KV speed. */
  private final MonotoneFit fit;

  private final double slopeAbove;

  /** What is added to the logarithm of the KV speed. */
  private final double shift;

  private SpeedCurve(
      List<CalibrationPoint> points, MonotoneFit fit, double slopeAbove, double shift) {
    this.points = List.copyOf(points);
    this.fit = fit;
    this.slopeAbove = slopeAbove;
    this.shift = shift;
  }

  /**
   * Fits the curve to measured points, in any order.
   *
   * @throws IllegalArgumentException if there is no point
   */
  public static SpeedCurve of(List<CalibrationPoint> points) {
    if (points.isEmpty()) {
      throw new IllegalArgumentException("A curve needs at least one point.");
    }
    List<Point> devices = devices(points);
    return devices.size() == 1 ? throughOne(points, devices.get(0)) : fitted(points, devices);
  }

  /** The points that the curve was fitted to. */
  public List<CalibrationPoint> points() {
    return points;
  }

  /**
   * The KV speed in bytes a second, at least 1. Of two devices, the faster one has at least the KV
   * speed of the slower one, but for a rounding error of 1.
   *
   * @param deviceBytesPerSecond as of {@link DeviceSpeed#bytesPerSecond}; less than 1 counts as 1
   */
  public long kvBytesPerSecond(long deviceBytesPerSecond) {
    return Math.max(1, (long) Math.exp(kvSpeed(Math.log(Math.max(1, deviceBytesPerSecond)))));
  }

  private double kvSpeed(double speed) {
    double inside = fit.value(speed) + shift;
    if (speed < fit.from()) {
      return inside - (fit.from() - speed);
    }
    return speed > fit.to() ? inside + slopeAbove * (speed - fit.to()) : inside;
  }

  private static SpeedCurve fitted(List<CalibrationPoint> points, List<Point> devices) {
    return new SpeedCurve(points, MonotoneFit.of(devices), lastSlope(devices), 0);
  }

  /** The default shape, moved up or down so that it passes through the point of a device. */
  private static SpeedCurve throughOne(List<CalibrationPoint> points, Point device) {
    double shift = device.y() - DEFAULT.kvSpeed(device.x());
    return new SpeedCurve(points, DEFAULT.fit, DEFAULT.slopeAbove, shift);
  }

  private static double lastSlope(List<Point> devices) {
    Point last = devices.get(devices.size() - 1);
    Point before = devices.get(devices.size() - 2);
    return Math.min(1, Math.max(0, (last.y() - before.y()) / (last.x() - before.x())));
  }

  /** Joins the points of each device, in logarithms, from the slowest device to the fastest. */
  private static List<Point> devices(List<CalibrationPoint> points) {
    List<Point> devices = new ArrayList<>();
    List<CalibrationPoint> same = new ArrayList<>();
    points.stream()
        .sorted(Comparator.comparingLong(CalibrationPoint::deviceBytesPerSecond))
        .forEach(
            point -> {
              if (!same.isEmpty() && !isSameDevice(same.get(0), point)) {
                devices.add(device(same));
                same.clear();
              }
              same.add(point);
            });
    devices.add(device(same));
    return devices;
  }

  private static boolean isSameDevice(CalibrationPoint slower, CalibrationPoint faster) {
    return faster.deviceBytesPerSecond() <= SAME_DEVICE_RATIO * slower.deviceBytesPerSecond();
  }

  private static Point device(List<CalibrationPoint> same) {
    double speed = same.stream().mapToDouble(each -> Math.log(each.deviceBytesPerSecond())).sum();
    double kvSpeed = same.stream().mapToDouble(each -> Math.log(each.kvBytesPerSecond())).sum();
    return new Point(speed / same.size(), kvSpeed / same.size(), same.size());
  }
}
