package io.quorate.benchmarks.plot;

import java.util.ArrayList;
import java.util.List;

/** The mapping of values to an axis, and its ticks. Without side effects. */
public enum Scale {
  /** From 0, in even steps. */
  LINEAR {
    @Override
    double place(double value) {
      return value;
    }

    @Override
    List<Double> ticks(double min, double max) {
      double top = Math.max(max, Double.MIN_NORMAL);
      double step = step(top / TICKS);
      List<Double> ticks = new ArrayList<>();
      for (int i = 0; ticks.isEmpty() || ticks.get(ticks.size() - 1) < top; i++) {
        ticks.add(i * step);
      }
      return ticks;
    }
  },
  /** Each step is ten times the one before. Only for values above 0. */
  LOGARITHMIC {
    @Override
    double place(double value) {
      return Math.log10(value);
    }

    @Override
    List<Double> ticks(double min, double max) {
      int from = (int) Math.floor(Math.log10(min));
      int to = Math.max(from + 1, (int) Math.ceil(Math.log10(max)));
      List<Double> ticks = new ArrayList<>();
      for (int power = from; power <= to; power++) {
        ticks.add(Math.pow(BASE, power));
      }
      return ticks;
    }
  };

  private static final int TICKS = 6;
  private static final double BASE = 10;

  /** The position of a value, in units of this scale. */
  abstract double place(double value);

  /** Round numbers from one at or below {@code min} (or 0) to one at or above {@code max}. */
  abstract List<Double> ticks(double min, double max);

  /** The smallest round number at or above this one: 1, 2 or 5 times a power of ten. */
  private static double step(double min) {
    double power = Math.pow(BASE, Math.floor(Math.log10(min)));
    double digit = min / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : BASE);
  }
}
