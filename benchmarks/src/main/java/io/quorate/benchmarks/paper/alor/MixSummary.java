package io.quorate.benchmarks.paper.alor;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.experiment.Ycsb;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** The ratios of each mix of devices beside what the speeds of the devices permit. */
final class MixSummary {
  /** The speeds for which the classes are calibrated, in relation to the slowest. */
  private static final Map<DeviceClass, Double> SPEEDS =
      Map.of(DeviceClass.N, 3.4, DeviceClass.H, 2.4, DeviceClass.P, 1.0);

  private final Results results;
  private final AlorSystems systems;

  MixSummary(Results results, AlorSystems systems) {
    this.results = results;
    this.systems = systems;
  }

  /** A line for each policy with each mix. */
  TextTable table() {
    List<String> headings = new ArrayList<>(List.of("devices, policy"));
    for (Ycsb workload : AlorSystems.WORKLOADS) {
      headings.add(workload.toString());
    }
    headings.addAll(List.of("mean", "capacity bound"));
    TextTable table = TextTable.ofFigures(headings.toArray(String[]::new));
    byMix()
        .forEach(
            (mix, cases) -> {
              for (SystemUnderTest system : List.of(systems.lmo(), systems.alor())) {
                table.add(line(mix, cases, system).toArray(String[]::new));
              }
            });
    return table;
  }

  private Map<String, List<Case>> byMix() {
    Map<String, List<Case>> byMix = new LinkedHashMap<>();
    for (Case each : results.cases()) {
      if (each.conditions().slowsDevices()) {
        continue;
      }
      byMix.computeIfAbsent(each.clusters().name(), absent -> new ArrayList<>()).add(each);
    }
    return byMix;
  }

  private List<String> line(String mix, List<Case> cases, SystemUnderTest system) {
    List<String> line = new ArrayList<>(List.of(mix + ", " + system));
    for (Ycsb workload : AlorSystems.WORKLOADS) {
      line.add(
          cases.stream()
              .filter(each -> each.load().what().equals(workload.toString()))
              .findFirst()
              .map(each -> text(ratio(each, system)))
              .orElse("-"));
    }
    line.add(text(mean(cases, system)));
    line.add(
        system.equals(systems.alor())
            ? text(OptionalDouble.of(capacityBound(DeviceMix.parse(mix))))
            : "");
    return line;
  }

  private OptionalDouble ratio(Case measured, SystemUnderTest system) {
    return results.ratio(measured, system, systems.ed(), Metric.THROUGHPUT);
  }

  /** The arithmetic mean of the ratios of all workloads, as in the paper. */
  OptionalDouble mean(List<Case> cases, SystemUnderTest system) {
    return cases.stream()
        .map(each -> ratio(each, system))
        .filter(OptionalDouble::isPresent)
        .mapToDouble(OptionalDouble::getAsDouble)
        .average();
  }

  /**
   * The most that placement can gain where devices limit all writes: with equal parts all nodes
   * wait for the slowest device, otherwise each device works all the time.
   */
  static double capacityBound(DeviceMix mix) {
    double sum = mix.classes().stream().mapToDouble(SPEEDS::get).sum();
    return sum / (mix.nodes() * SPEEDS.get(mix.slowest()));
  }

  private static String text(OptionalDouble ratio) {
    return ratio.isPresent() ? String.format(Locale.ROOT, "%.2f", ratio.getAsDouble()) : "-";
  }
}
