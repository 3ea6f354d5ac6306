package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Curves;
import io.quorate.benchmarks.paper.report.PaperExperiment;
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
  static final CaseProperty PUTS =
      new CaseProperty(
          new Axis("puts, % of calls", Scale.LINEAR),
          each -> each.load().mix().share(CallKind.PUT) * PERCENT);
  static final CaseProperty SCANS =
      new CaseProperty(
          new Axis("scans, % of calls", Scale.LINEAR),
          each -> each.load().mix().share(CallKind.SCAN) * PERCENT);
  static final CaseProperty DELETES =
      new CaseProperty(
          new Axis("deletes, % of writes", Scale.LINEAR),
          each -> deletesOfWrites(each.load().mix()) * PERCENT);
  static final CaseProperty CLIENTS =
      new CaseProperty(new Axis("clients", Scale.LOGARITHMIC), each -> each.load().clients());

  private BucPlots() {}

  /** All plots that have points. */
  static Map<String, Plot> of(Results results, BucSystems systems) {
    Map<String, Plot> plots = new LinkedHashMap<>();
    for (StorageVariant storage : StorageVariant.values()) {
      Curves curves = new Curves(results, systems.trio(storage).all());
      String suffix = "-" + storage.fileName();
      List<Case> ycsb = storage.cases(results.cases(BucEvaluation.YCSB));
      plots.putAll(
          curves.over(
              workload(ycsb),
              ycsb,
              BucEvaluation.YCSB + suffix,
              "YCSB",
              storage.text(),
              BucEvaluation.PLOTTED));
      for (PaperExperiment each : BucEvaluation.EXPERIMENTS) {
        List<Case> cases = storage.cases(results.cases(each.name()));
        plots.putAll(curves.of(each, cases, suffix, storage.text()));
      }
    }
    return plots;
  }

  private static CaseProperty workload(List<Case> ycsb) {
    return new CaseProperty(
        Axis.ofNames("workload", ycsb.stream().map(each -> each.load().what()).toList()),
        each -> 1 + ycsb.indexOf(each));
  }

  private static double deletesOfWrites(Mix mix) {
    double deletes = mix.share(CallKind.DELETE);
    return deletes / (deletes + mix.share(CallKind.PUT));
  }
}
