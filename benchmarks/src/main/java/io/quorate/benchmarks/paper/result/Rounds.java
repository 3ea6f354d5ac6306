package io.quorate.benchmarks.paper.result;

import java.util.List;

/**
 * One figure in all rounds.
 *
 * @param values one per round; at least one
 */
public record Rounds(List<Double> values) {
  public Rounds {
    values = values.stream().sorted().toList();
    if (values.isEmpty()) {
      throw new IllegalArgumentException("A figure has at least one round.");
    }
  }

  /** The middle value; the mean of the two middle values if their number is even. */
  public double median() {
    int middle = values.size() / 2;
    return values.size() % 2 == 1
        ? values.get(middle)
        : (values.get(middle - 1) + values.get(middle)) / 2;
  }

  public double min() {
    return values.get(0);
  }

  public double max() {
    return values.get(values.size() - 1);
  }

  /** The range of the rounds as a fraction of their median; 0 if the median is 0. */
  public double spread() {
    return median() == 0 ? 0 : (max() - min()) / median();
  }
}
