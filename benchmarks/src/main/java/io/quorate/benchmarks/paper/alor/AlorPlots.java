package io.quorate.benchmarks.paper.alor;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Curves;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Plot.Point;
import io.quorate.benchmarks.plot.Plot.Series;
import io.quorate.benchmarks.plot.PlotColor;
import io.quorate.benchmarks.plot.Scale;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The plots of the evaluation, by file name. */
final class AlorPlots {
  private static final List<Metric> METRICS =
      List.of(Metric.THROUGHPUT, Metric.WRITE_P50, Metric.WRITE_P99);

  private AlorPlots() {}

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, AlorSystems systems) {
    Map<String, Plot> plots = new LinkedHashMap<>();
    List<Case> overall = results.cases(AlorEvaluation.OVERALL);
    List<String> workloads = overall.stream().map(each -> each.load().what()).toList();
    Curves curves = new Curves(results, systems.policies());
    plots.putAll(
        curves.over(
            new CaseProperty(
                Axis.ofNames("workload", workloads),
                each -> 1 + workloads.indexOf(each.load().what())),
            overall,
            AlorEvaluation.OVERALL,
            "The paper's devices",
            "1N2H3P",
            METRICS));
    List<Case> loads =
        results.cases().stream().filter(each -> each.load().what().equals("Load")).toList();
    List<String> mixes = loads.stream().map(each -> each.clusters().name()).toList();
    plots.putAll(
        curves.over(
            new CaseProperty(
                Axis.ofNames("devices", mixes), each -> 1 + mixes.indexOf(each.clusters().name())),
            loads,
            AlorEvaluation.MIXES,
            "Load, by devices",
            "three replicas of 24 regions",
            METRICS));
    for (Case load : loads) {
      Plot plot = filling(results, systems, load);
      if (!plot.series().isEmpty()) {
        plots.put("alor-filling-" + load.clusters().name(), plot);
      }
    }
    return plots;
  }

  /** The throughput of each second of the load. */
  private static Plot filling(Results results, AlorSystems systems, Case load) {
    List<SystemUnderTest> contenders = systems.policies();
    return new Plot(
        "Throughput while the nodes fill up, " + load.clusters().name(),
        "first round",
        new Axis("seconds", Scale.LINEAR),
        new Axis("writes/s", Scale.LINEAR),
        IntStream.range(0, contenders.size())
            .mapToObj(
                i ->
                    new Series(
                        contenders.get(i).name(),
                        PlotColor.ofSeries(i),
                        points(results.series(load, contenders.get(i)))))
            .toList());
  }

  private static List<Point> points(List<Double> throughputBySecond) {
    return IntStream.range(0, throughputBySecond.size())
        .mapToObj(
            second -> {
              double rate = throughputBySecond.get(second);
              return new Point(second + 1, rate, rate, rate);
            })
        .toList();
  }
}
