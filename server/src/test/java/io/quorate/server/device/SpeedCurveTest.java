package io.quorate.server.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SpeedCurveTest {
  private static final int SEEDS = 1000;
  private static final long MEGA = 1_000_000;

  private static CalibrationPoint point(double device, double kv) {
    return new CalibrationPoint(Math.round(device), Math.round(kv));
  }

  /** Speeds from 1 to the largest, at random distances. */
  private static LongStream speeds(SplittableRandom random) {
    return LongStream.iterate(
        1,
        speed -> speed < Long.MAX_VALUE / 3,
        speed -> speed + 1 + (long) (speed * random.nextDouble()));
  }

  private static double logUniform(SplittableRandom random, double from, double to) {
    return from * Math.pow(to / from, random.nextDouble());
  }

  private static void assertMonotoneAndPositive(
      SpeedCurve curve, SplittableRandom random, int seed) {
    long[] kvSpeeds = speeds(random).map(curve::kvBytesPerSecond).toArray();
    assertThat(kvSpeeds[0]).as("seed %d", seed).isPositive();
    for (int i = 1; i < kvSpeeds.length; i++) {
      assertThat(kvSpeeds[i]).as("seed %d", seed).isGreaterThanOrEqualTo(kvSpeeds[i - 1] - 1);
    }
  }

  /** A cubic cannot follow every point of a sharp bend. */
  private static void assertNearPoints(SpeedCurve curve, int seed) {
    for (CalibrationPoint point : curve.points()) {
      double estimated = curve.kvBytesPerSecond(point.deviceBytesPerSecond());
      assertThat(estimated / point.kvBytesPerSecond())
          .as("seed %d: %s of %s", seed, point, curve.points())
          .isBetween(0.75, 1.33);
    }
  }

  @Test
  void isMonotoneAndPositiveForAnyPoints() {
    for (int seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<CalibrationPoint> points = new ArrayList<>();
      for (int left = 1 + random.nextInt(12); left > 0; left--) {
        points.add(
            point(
                logUniform(random, 1, CalibrationPoint.BYTES_PER_SECOND_MAX),
                logUniform(random, 1, CalibrationPoint.BYTES_PER_SECOND_MAX)));
      }
      assertMonotoneAndPositive(SpeedCurve.of(points), random, seed);
    }
  }

  /** The engine is limited by the device or by the processor, whichever is slower. */
  @Test
  void passesNearThePointsOfAnEngine() {
    for (int seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      double amplification = 1 + 9 * random.nextDouble();
      double processor = logUniform(random, 20 * MEGA, 500 * MEGA);
      List<CalibrationPoint> points = new ArrayList<>();
      double device = logUniform(random, 10 * MEGA, 100 * MEGA);
      for (int left = 2 + random.nextInt(5); left > 0; left--) {
        double exact = 1 / (amplification / device + 1 / processor);
        points.add(point(device, exact * (0.95 + 0.1 * random.nextDouble())));
        device *= 1.3 + 4 * random.nextDouble();
      }
      SpeedCurve curve = SpeedCurve.of(points);
      assertNearPoints(curve, seed);
      assertMonotoneAndPositive(curve, random, seed);
    }
  }

  @Test
  void passesThroughRisingPointsOfFewDevices() {
    List<CalibrationPoint> points =
        List.of(
            point(60 * MEGA, 20 * MEGA),
            point(200 * MEGA, 55 * MEGA),
            point(600 * MEGA, 100 * MEGA));
    SpeedCurve curve = SpeedCurve.of(points);
    for (CalibrationPoint point : points) {
      assertThat((double) curve.kvBytesPerSecond(point.deviceBytesPerSecond()))
          .isCloseTo(point.kvBytesPerSecond(), within(0.001 * point.kvBytesPerSecond()));
    }
    assertThat(curve.points()).isEqualTo(points);
  }

  @Test
  void fallsInProportionBelowTheSlowestDevice() {
    SpeedCurve curve =
        SpeedCurve.of(List.of(point(100 * MEGA, 50 * MEGA), point(1000 * MEGA, 60 * MEGA)));
    assertThat((double) curve.kvBytesPerSecond(10 * MEGA)).isCloseTo(5 * MEGA, within(10.0));
  }

  @Test
  void continuesAboveTheFastestDeviceAsBetweenTheLastTwoButNotSteeper() {
    SpeedCurve limited =
        SpeedCurve.of(List.of(point(100 * MEGA, 50 * MEGA), point(1000 * MEGA, 50 * MEGA)));
    assertThat((double) limited.kvBytesPerSecond(100_000 * MEGA))
        .isCloseTo(50 * MEGA, within(10.0));

    SpeedCurve unlimited =
        SpeedCurve.of(List.of(point(100 * MEGA, MEGA), point(200 * MEGA, 10 * MEGA)));
    assertThat((double) unlimited.kvBytesPerSecond(2000 * MEGA))
        .isCloseTo(100 * MEGA, within(100.0));

    SpeedCurve falling =
        SpeedCurve.of(List.of(point(100 * MEGA, 20 * MEGA), point(200 * MEGA, 10 * MEGA)));
    assertThat(falling.kvBytesPerSecond(2000 * MEGA))
        .isEqualTo(falling.kvBytesPerSecond(100 * MEGA));
  }

  @Test
  void onePointMovesTheDefaultCurve() {
    long device = 100 * MEGA;
    long twice = 2 * SpeedCurve.DEFAULT.kvBytesPerSecond(device);
    // Measured repeatedly.
    SpeedCurve curve = SpeedCurve.of(List.of(point(device, twice), point(device, twice)));
    for (long speed : List.of(10 * MEGA, device, 300 * MEGA, 10_000 * MEGA)) {
      assertThat((double) curve.kvBytesPerSecond(speed))
          .isCloseTo(2.0 * SpeedCurve.DEFAULT.kvBytesPerSecond(speed), within(10.0));
    }
  }

  @Test
  void repeatedMeasurementsOfADeviceCountAsOne() {
    // A line through the two points of the slower device would fall steeply.
    SpeedCurve curve =
        SpeedCurve.of(
            List.of(
                point(110 * MEGA, 38 * MEGA),
                point(100 * MEGA, 42 * MEGA),
                point(1000 * MEGA, 80 * MEGA)));
    assertThat(curve.kvBytesPerSecond(105 * MEGA)).isBetween(39 * MEGA, 41 * MEGA);
  }

  @Test
  void theDefaultCurveIsMonotoneAndNearItsPoints() {
    assertMonotoneAndPositive(SpeedCurve.DEFAULT, new SplittableRandom(1), 1);
    assertNearPoints(SpeedCurve.DEFAULT, 0);
  }

  @Test
  void aCurveNeedsAPoint() {
    assertThatThrownBy(() -> SpeedCurve.of(List.of())).isInstanceOf(IllegalArgumentException.class);
  }
}
