package io.quorate.benchmarks.plot;

/** The mapping of values to an axis, and its ends. Without side effects. */
public enum Scale {
  /** From 0, in even steps. */
  LINEAR {
    @Override
    double lowerEnd(double min) {
      return 0;
    }

    @Override
    double upperEnd(double min, double max) {
      return max > 0 ? max : 1;
    }

    @Override
    double between(double lower, double upper, double part) {
      return lower + part * (upper - lower);
    }
  },
  /** From a power of ten to another. Only for values above 0. */
  LOGARITHMIC {
    @Override
    double lowerEnd(double min) {
      return Math.pow(BASE, Math.floor(Math.log10(min)));
    }

    @Override
    double upperEnd(double min, double max) {
      return Math.max(BASE * lowerEnd(min), Math.pow(BASE, Math.ceil(Math.log10(max))));
    }

    @Override
    double between(double lower, double upper, double part) {
      return lower * Math.pow(upper / lower, part);
    }
  };

  private static final double BASE = 10;

  /**
   * The lower end of an axis.
   *
   * @param min the least value, above 0
   */
  abstract double lowerEnd(double min);

  /**
   * The upper end of an axis, greater than its lower end.
   *
   * @param min the least value, above 0
   * @param max the greatest value
   */
  abstract double upperEnd(double min, double max);

  /**
   * The value at a place on an axis.
   *
   * @param part of the length of the axis, from 0 at its lower end to 1 at its upper end; may be
   *     beyond them
   */
  abstract double between(double lower, double upper, double part);
}
