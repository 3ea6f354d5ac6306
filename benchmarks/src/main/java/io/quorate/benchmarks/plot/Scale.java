package io.quorate.benchmarks.plot;

import java.util.ArrayList;
import java.util.List;

/** How values lie along an axis, and where its ticks are. Pure. */
public enum Scale {
  /** From 0, in even steps. */
  LINEAR {
    @Override
    double place(double value) {
      return value;
    }

    @Override
    List<Double> ticks(double least, double most) {
      double top = Math.max(most, Double.MIN_NORMAL);
      double step = step(top / TICKS);
      List<Double> ticks = new ArrayList<>();
      for (int i = 0; ticks.isEmpty() || ticks.get(ticks.size() - 1) < top; i++) {
        ticks.add(i * step);
      }
      return ticks;
    }
  },
  /** Each step ten times the one before. Only for values above 0. */
  LOGARITHMIC {
    @Override
    double place(double value) {
      return Math.log10(value);
    }

    @Override
    List<Double> ticks(double least, double most) {
      int from = (int) Math.floor(Math.log10(least));
      int to = Math.max(from + 1, (int) Math.ceil(Math.log10(most)));
      List<Double> ticks = new ArrayList<>();
      for (int power = from; power <= to; power++) {
        ticks.add(Math.pow(BASE, power));
      }
      return ticks;
    }
  };

  private static final int TICKS = 6;
  private static final double BASE = 10;

  /** Where a value lies, in a measure of its own. */
  abstract double place(double value);

  /** Round numbers from one at or below {@code least} (or 0) to one at or above {@code most}. */
  abstract List<Double> ticks(double least, double most);

  /** The round number at or above this one: 1, 2 or 5 with zeros. */
  private static double step(double atLeast) {
    double power = Math.pow(BASE, Math.floor(Math.log10(atLeast)));
    double digit = atLeast / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : BASE);
  }
}
