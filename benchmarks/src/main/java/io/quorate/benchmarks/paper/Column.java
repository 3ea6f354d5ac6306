package io.quorate.benchmarks.paper;

/**
 * A column of a table of figures.
 *
 * @param heading above it
 * @param metric of which it tells something
 * @param content what it tells
 * @param pattern of its numbers
 */
public record Column(String heading, Metric metric, Content content, String pattern) {
  private static final String RATIO_PATTERN = "%.2f";

  /** What is told of a metric. */
  public enum Content {
    MEDIAN,
    /** How far apart the rounds are, in percent of the median. */
    SPREAD,
    /** Over the baseline. */
    RATIO,
    /** The same in the paper. */
    PAPER
  }

  /** The median of a metric. */
  public static Column median(String heading, Metric metric, String pattern) {
    return new Column(heading, metric, Content.MEDIAN, pattern);
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
