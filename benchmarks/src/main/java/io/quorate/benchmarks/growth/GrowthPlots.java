package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Plot.Point;
import io.quorate.benchmarks.plot.Plot.Series;
import io.quorate.benchmarks.plot.PlotColor;
import io.quorate.benchmarks.plot.Scale;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Plots of figures over the number of regions in use. Without side effects. */
final class GrowthPlots {
  private static final List<Metric> OF_PUTS =
      List.of(
          Metric.THROUGHPUT,
          Metric.SWITCHES_PER_CALL,
          Metric.CPU_PER_CALL,
          Metric.SYNCS_PER_SECOND);
  private static final List<Metric> OF_GETS = List.of(Metric.THROUGHPUT);

  private GrowthPlots() {}

  /** The plots that have points, by file name; a line for each preset and number of clients. */
  static Map<String, Plot> of(List<MeasuredPart> parts, List<Integer> clients) {
    Map<String, Plot> plots = new LinkedHashMap<>();
    Map.of(CallKind.PUT, OF_PUTS, CallKind.GET, OF_GETS)
        .forEach(
            (kind, metrics) -> {
              for (Metric metric : metrics) {
                Plot plot = plot(parts, clients, kind, metric);
                if (!plot.series().isEmpty()) {
                  plots.put(
                      String.format(
                          Locale.ROOT, "%s-%s-%s", GrowthLoads.ALL_IN_USE, kind, metric.label()),
                      plot);
                }
              }
            });
    return plots;
  }

  private static Plot plot(
      List<MeasuredPart> parts, List<Integer> clients, CallKind kind, Metric metric) {
    List<Series> series = new ArrayList<>();
    for (MeasuredPart part : parts) {
      for (int count : clients) {
        Optional<Case> load = part.load(GrowthLoads.ALL_IN_USE, kind, count);
        String name = part.preset() + ", " + count + " clients";
        List<Point> points = load.map(each -> points(part, each, metric)).orElse(List.of());
        if (!points.isEmpty()) {
          series.add(new Series(name, PlotColor.ofSeries(series.size()), points));
        }
      }
    }
    return new Plot(
        "All regions in use, " + kind + ", " + metric.label(),
        GrowthLoads.VALUE_BYTES + " B",
        new Axis("regions", Scale.LOGARITHMIC),
        new Axis(metric.label() + ", " + metric.unit(), Scale.LINEAR),
        series);
  }

  private static List<Point> points(MeasuredPart part, Case load, Metric metric) {
    return part.part().contenders().stream()
        .map(GrowthContender::regions)
        .flatMap(
            regions ->
                part
                    .busy(regions)
                    .flatMap(system -> part.results().of(load, system, metric))
                    .map(rounds -> new Point(regions, rounds.median(), rounds.min(), rounds.max()))
                    .stream())
        .toList();
  }
}
