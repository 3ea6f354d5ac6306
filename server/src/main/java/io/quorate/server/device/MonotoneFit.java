package io.quorate.server.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.math3.analysis.polynomials.PolynomialFunction;
import org.apache.commons.math3.fitting.PolynomialCurveFitter;
import org.apache.commons.math3.fitting.WeightedObservedPoints;

/**
 * A polynomial that is fitted to points by least squares, and that never falls. Immutable; any
 * thread.
 *
 * <p>A polynomial through points that approach a limit usually exceeds it and then falls. Where one
 * falls, it is replaced by the mean of the lowest function above it and the highest function below
 * it that do not fall. Of the degrees up to 3, the one whose result is closest to the points is
 * used, and the lowest of those that are equally close.
 */
final class MonotoneFit {
  private static final int DEGREE_MAX = 3;
  private static final int STEPS = 256;

  /** Differences of the squared distances below this are rounding. */
  private static final double EQUALLY_CLOSE = 1e-9;

  private final double from;
  private final double to;

  /** Values at equal distances; between them, the function is linear. */
  private final double[] values;

  /** A point to fit, whose weight is at least 1. */
  record Point(double x, double y, int weight) {}

  private MonotoneFit(double from, double to, double[] values) {
    this.from = from;
    this.to = to;
    this.values = values;
  }

  /**
   * Fits at least two points.
   *
   * @param points in ascending order of x, which differ
   */
  static MonotoneFit of(List<Point> points) {
    List<MonotoneFit> candidates = new ArrayList<>();
    for (int degree = 1; degree <= Math.min(DEGREE_MAX, points.size() - 1); degree++) {
      candidates.add(ofDegree(points, degree));
    }
    return candidates.stream()
        .min(Comparator.comparingLong(fit -> Math.round(fit.distance(points) / EQUALLY_CLOSE)))
        .orElseThrow();
  }

  private static MonotoneFit ofDegree(List<Point> points, int degree) {
    double from = points.get(0).x();
    double to = points.get(points.size() - 1).x();
    // About the middle: high powers of numbers far from 0 hardly differ in their shape.
    double middle = (from + to) / 2;
    WeightedObservedPoints observed = new WeightedObservedPoints();
    points.forEach(point -> observed.add(point.weight(), point.x() - middle, point.y()));
    PolynomialFunction polynomial =
        new PolynomialFunction(PolynomialCurveFitter.create(degree).fit(observed.toList()));
    double[] values =
        IntStream.rangeClosed(0, STEPS)
            .mapToDouble(i -> polynomial.value(from - middle + (to - from) * i / STEPS))
            .toArray();
    return new MonotoneFit(from, to, monotone(values));
  }

  /** The mean of the running maximum from the left and the running minimum from the right. */
  private static double[] monotone(double[] values) {
    double[] above = values.clone();
    double[] below = values.clone();
    for (int i = 1; i < values.length; i++) {
      above[i] = Math.max(above[i], above[i - 1]);
      int fromRight = values.length - 1 - i;
      below[fromRight] = Math.min(below[fromRight], below[fromRight + 1]);
    }
    return IntStream.range(0, values.length).mapToDouble(i -> (above[i] + below[i]) / 2).toArray();
  }

  /** The sum of the weighted squares of the distances from points. */
  private double distance(List<Point> points) {
    return points.stream()
        .mapToDouble(point -> point.weight() * Math.pow(point.y() - value(point.x()), 2))
        .sum();
  }

  /** The lowest x of the points. */
  double from() {
    return from;
  }

  /** The highest x of the points. */
  double to() {
    return to;
  }

  /** The value at x, or at the end of the range that x is beyond. */
  double value(double x) {
    double place = Math.min(STEPS, Math.max(0, (x - from) / (to - from) * STEPS));
    int step = Math.min(STEPS - 1, (int) place);
    return values[step] + (values[step + 1] - values[step]) * (place - step);
  }
}
