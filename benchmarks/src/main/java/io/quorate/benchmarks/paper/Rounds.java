package io.quorate.benchmarks.paper;

import java.util.List;

/**
 * One figure, as each round saw it.
 *
 * @param values one a round; at least one
 */
public record Rounds(List<Double> values) {
  public Rounds {
    values = values.stream().sorted().toList();
    if (values.isEmpty()) {
      throw new IllegalArgumentException("There is no median of no rounds.");
    }
  }

  /** The middle one; the mean of the two middle ones where their number is even. */
  public double median() {
    int middle = values.size() / 2;
    return values.size() % 2 == 1
        ? values.get(middle)
        : (values.get(middle - 1) + values.get(middle)) / 2;
  }

  public double least() {
    return values.get(0);
  }

  public double most() {
    return values.get(values.size() - 1);
  }

  /** How far apart the rounds are, as a share of their median; 0 if that is 0. */
  public double spread() {
    return median() == 0 ? 0 : (most() - least()) / median();
  }
}
