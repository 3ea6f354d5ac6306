package io.quorate.benchmarks.paper.report;

import io.quorate.benchmarks.paper.result.Metric;
import java.util.List;
import java.util.Optional;

/**
 * An experiment of a paper, as its report shows it.
 *
 * @param name of its cases, and the beginning of the file names of its plots
 * @param heading of its table of figures, and the beginning of the titles of its plots
 * @param property over which its metrics are plotted; empty without such plots
 * @param plotted metrics, each with a plot of its own
 */
public record PaperExperiment(
    String name, String heading, Optional<CaseProperty> property, List<Metric> plotted) {
  public PaperExperiment {
    plotted = List.copyOf(plotted);
  }

  /** An experiment that has no plots over a property of its cases. */
  public PaperExperiment(String name, String heading) {
    this(name, heading, Optional.empty(), List.of());
  }

  public PaperExperiment(String name, String heading, CaseProperty property, List<Metric> plotted) {
    this(name, heading, Optional.of(property), plotted);
  }
}
