package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Plot.Point;
import io.quorate.benchmarks.plot.Plot.Series;
import io.quorate.benchmarks.plot.PlotColor;
import io.quorate.benchmarks.plot.Scale;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** Creates plots of results, in which a system always has the same color. */
public final class Curves {
  private final Results results;
  private final List<SystemUnderTest> contenders;

  /**
   * @param contenders the systems to plot, in the order of the legend
   */
  public Curves(Results results, List<SystemUnderTest> contenders) {
    this.results = results;
    this.contenders = List.copyOf(contenders);
  }

  /**
   * Plots one metric over a property in which the cases differ, with a bar from the minimum to the
   * maximum.
   */
  public Plot over(
      String title,
      String note,
      Axis x,
      ToDoubleFunction<Case> position,
      List<Case> cases,
      Metric metric) {
    return new Plot(
        title,
        note,
        x,
        axis(metric, Scale.LINEAR),
        series(
            contender ->
                cases.stream()
                    .flatMap(
                        each ->
                            results
                                .of(each, contender, metric)
                                .map(
                                    rounds ->
                                        new Point(
                                            position.applyAsDouble(each),
                                            rounds.median(),
                                            rounds.least(),
                                            rounds.most()))
                                .stream())
                    .toList()));
  }

  /** Plots latency against throughput, from the first case to the last. */
  public Plot latencyAgainstThroughput(
      String title, String note, List<Case> cases, Metric latency) {
    return new Plot(
        title,
        note,
        axis(Metric.THROUGHPUT, Scale.LINEAR),
        axis(latency, Scale.LOGARITHMIC),
        series(
            contender ->
                cases.stream().flatMap(each -> point(each, contender, latency).stream()).toList()));
  }

  private Optional<Point> point(Case measured, SystemUnderTest contender, Metric latency) {
    Optional<Rounds> throughput = results.of(measured, contender, Metric.THROUGHPUT);
    return results
        .of(measured, contender, latency)
        .flatMap(
            rounds ->
                throughput.map(
                    x -> new Point(x.median(), rounds.median(), rounds.least(), rounds.most())));
  }

  private List<Series> series(Function<SystemUnderTest, List<Point>> points) {
    return IntStream.range(0, contenders.size())
        .mapToObj(
            i ->
                new Series(
                    contenders.get(i).name(),
                    PlotColor.ofSeries(i),
                    points.apply(contenders.get(i))))
        .toList();
  }

  private static Axis axis(Metric metric, Scale scale) {
    return new Axis(metric.label() + ", " + metric.unit(), scale);
  }
}
