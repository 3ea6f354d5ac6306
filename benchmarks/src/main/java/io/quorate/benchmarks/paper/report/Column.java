package io.quorate.benchmarks.paper.report;

import io.quorate.benchmarks.paper.result.Metric;

/**
 * A column of a table of figures.
 *
 * @param heading the heading of the column
 * @param metric the metric that is shown
 * @param content the statistic of the metric that is shown
 * @param pattern format of the numbers
 */
public record Column(String heading, Metric metric, Content content, String pattern) {
  private static final String MILLIS = "%.2f";
  private static final String COUNT = "%.0f";
  private static final String RATIO_PATTERN = "%.2f";

  /** The statistic of a metric that a column shows. */
  public enum Content {
    MEDIAN,
    /** The range of the rounds, in percent of the median. */
    SPREAD,
    /** The ratio to the baseline. */
    RATIO,
    /** The same ratio in the paper. */
    PAPER
  }

  /** The median of a metric. */
  public static Column median(String heading, Metric metric, String pattern) {
    return new Column(heading, metric, Content.MEDIAN, pattern);
  }

  /** The median of a metric in milliseconds. */
  public static Column millis(String heading, Metric metric) {
    return median(heading, metric, MILLIS);
  }

  /** The median of a metric, as a whole number. */
  public static Column count(String heading, Metric metric) {
    return median(heading, metric, COUNT);
  }

  public static Column spread(Metric metric) {
    return new Column("spread", metric, Content.SPREAD, "%.0f %%");
  }

  public static Column ratio(Metric metric) {
    return new Column("ratio", metric, Content.RATIO, RATIO_PATTERN);
  }

  public static Column paper(Metric metric) {
    return new Column("paper", metric, Content.PAPER, RATIO_PATTERN);
  }
}
