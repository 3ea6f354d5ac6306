package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Curves;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.benchmarks.paper.Results;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Scale;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The plots of the evaluation, by file name. */
final class BucPlots {
  /** The headings of the experiments, in the order of the report. */
  static final Map<String, String> TITLES = titles();

  private static final double PERCENT = 100;
  private static final List<Metric> METRICS =
      List.of(
          Metric.THROUGHPUT,
          Metric.WRITE_P50,
          Metric.WRITE_P99,
          Metric.READ_P50,
          Metric.SCAN_P50,
          Metric.GAP);

  private final Results results;
  private final Storage storage;
  private final Curves curves;
  private final Map<String, Plot> plots = new LinkedHashMap<>();

  private BucPlots(Results results, Systems systems, Storage storage) {
    this.results = results;
    this.storage = storage;
    this.curves = new Curves(results, systems.trio(storage).all());
  }

  private static Map<String, String> titles() {
    Map<String, String> titles = new LinkedHashMap<>();
    titles.put(Evaluation.YCSB, "YCSB");
    titles.put(Evaluation.WRITES, "Share of writes beside gets");
    titles.put(Evaluation.SCANS, "Share of scans beside puts");
    titles.put(Evaluation.DELETES, "Scans beside writes that delete");
    titles.put(Evaluation.VALUES, "Length of values");
    titles.put(Evaluation.CLIENTS, "Load, few clients to many");
    return Collections.unmodifiableMap(titles);
  }

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, Systems systems) {
    Map<String, Plot> all = new LinkedHashMap<>();
    for (Storage storage : Storage.values()) {
      BucPlots plots = new BucPlots(results, systems, storage);
      plots.draw();
      all.putAll(plots.plots);
    }
    return all;
  }

  private void draw() {
    List<Case> ycsb = cases(Evaluation.YCSB);
    draw(
        Evaluation.YCSB,
        Axis.ofNames("workload", ycsb.stream().map(each -> each.load().what()).toList()),
        each -> 1 + ycsb.indexOf(each));
    draw(
        Evaluation.WRITES,
        new Axis("puts, % of calls", Scale.LINEAR),
        each -> each.load().mix().share(CallKind.PUT) * PERCENT);
    draw(
        Evaluation.SCANS,
        new Axis("scans, % of calls", Scale.LINEAR),
        each -> each.load().mix().share(CallKind.SCAN) * PERCENT);
    draw(
        Evaluation.DELETES,
        new Axis("deletes, % of writes", Scale.LINEAR),
        each -> deletesOfWrites(each.load().mix()) * PERCENT);
    draw(
        Evaluation.VALUES,
        new Axis("length of values, bytes", Scale.LOGARITHMIC),
        each -> each.load().valueBytes());
    draw(Evaluation.CLIENTS, new Axis("clients", Scale.LOGARITHMIC), each -> each.load().clients());
  }

  private static double deletesOfWrites(Mix mix) {
    double deletes = mix.share(CallKind.DELETE);
    return deletes / (deletes + mix.share(CallKind.PUT));
  }

  private void draw(String experiment, Axis x, ToDoubleFunction<Case> position) {
    List<Case> cases = cases(experiment);
    for (Metric metric : METRICS) {
      String title = TITLES.get(experiment) + ", " + metric.label();
      Plot plot = curves.over(title, storage.text(), x, position, cases, metric);
      if (!plot.series().isEmpty()) {
        plots.put(experiment + "-" + storage.fileName() + "-" + metric.label(), plot);
      }
    }
  }

  private List<Case> cases(String experiment) {
    return results.cases(experiment).stream()
        .filter(each -> Evaluation.storageOf(each) == storage)
        .toList();
  }
}
