package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Curves;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Scale;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The plots of the evaluation, by file name. */
final class BucPlots {
  private static final double PERCENT = 100;
  private static final List<Metric> METRICS =
      List.of(
          Metric.THROUGHPUT,
          Metric.WRITE_P50,
          Metric.WRITE_P99,
          Metric.READ_P50,
          Metric.SCAN_P50,
          Metric.GAP);
  private static final CaseProperty PUTS =
      new CaseProperty(
          new Axis("puts, % of calls", Scale.LINEAR),
          each -> each.load().mix().share(CallKind.PUT) * PERCENT);
  private static final CaseProperty SCANS =
      new CaseProperty(
          new Axis("scans, % of calls", Scale.LINEAR),
          each -> each.load().mix().share(CallKind.SCAN) * PERCENT);
  private static final CaseProperty DELETES =
      new CaseProperty(
          new Axis("deletes, % of writes", Scale.LINEAR),
          each -> deletesOfWrites(each.load().mix()) * PERCENT);
  private static final CaseProperty CLIENTS =
      new CaseProperty(new Axis("clients", Scale.LOGARITHMIC), each -> each.load().clients());

  private final Results results;
  private final StorageVariant storage;
  private final Curves curves;
  private final Map<String, Plot> plots = new LinkedHashMap<>();

  private BucPlots(Results results, BucSystems systems, StorageVariant storage) {
    this.results = results;
    this.storage = storage;
    this.curves = new Curves(results, systems.trio(storage).all());
  }

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, BucSystems systems) {
    Map<String, Plot> all = new LinkedHashMap<>();
    for (StorageVariant storage : StorageVariant.values()) {
      BucPlots plots = new BucPlots(results, systems, storage);
      plots.draw();
      all.putAll(plots.plots);
    }
    return all;
  }

  private void draw() {
    draw(BucEvaluation.YCSB, workload());
    draw(BucEvaluation.WRITES, PUTS);
    draw(BucEvaluation.SCANS, SCANS);
    draw(BucEvaluation.DELETES, DELETES);
    draw(BucEvaluation.VALUES, CaseProperty.VALUE_BYTES);
    draw(BucEvaluation.CLIENTS, CLIENTS);
  }

  private CaseProperty workload() {
    List<Case> ycsb = cases(BucEvaluation.YCSB);
    return new CaseProperty(
        Axis.ofNames("workload", ycsb.stream().map(each -> each.load().what()).toList()),
        each -> 1 + ycsb.indexOf(each));
  }

  private static double deletesOfWrites(Mix mix) {
    double deletes = mix.share(CallKind.DELETE);
    return deletes / (deletes + mix.share(CallKind.PUT));
  }

  private void draw(String experiment, CaseProperty property) {
    plots.putAll(
        curves.over(
            property,
            cases(experiment),
            experiment + "-" + storage.fileName(),
            BucEvaluation.TITLES.get(experiment),
            storage.text(),
            METRICS));
  }

  private List<Case> cases(String experiment) {
    return storage.cases(results.cases(experiment));
  }
}
