package io.quorate.benchmarks.paper.testbed;

import io.quorate.benchmarks.cluster.CpuQuotas;
import io.quorate.benchmarks.cluster.MemoryDirectory;
import io.quorate.benchmarks.cluster.WideArea;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Determines which cases this system can run.
 *
 * @param noDelays the reason why delays between sites are impossible; empty if they are possible
 * @param noMemory the reason why data cannot be kept in memory; empty if it can
 * @param noCpuLimits the reason why the CPU time of nodes cannot be limited; empty if it can
 */
public record Feasibility(
    Optional<String> noDelays, Optional<String> noMemory, Optional<String> noCpuLimits) {

  public static Feasibility here() throws IOException {
    return new Feasibility(WideArea.obstacle(), MemoryDirectory.obstacle(), CpuQuotas.obstacle());
  }

  /** The cases that can be measured. */
  public List<Case> only(List<Case> cases) {
    return cases.stream()
        .filter(each -> noDelays.isEmpty() || !needsDelays(each))
        .filter(each -> noMemory.isEmpty() || !needsMemory(each))
        .filter(each -> noCpuLimits.isEmpty() || !each.conditions().limitsCpu())
        .toList();
  }

  /** Notes on the cases that are omitted with the reason, and on how the others are measured. */
  public List<String> notes(List<Case> cases) {
    List<String> notes = new ArrayList<>();
    if (cases.stream().anyMatch(Feasibility::needsDelays)) {
      notes.add(
          noDelays
              .map(obstacle -> "NOT MEASURED: delays between sites; " + obstacle + ".")
              .orElse(
                  "Delays between sites are those of relays in the process that measures; the"
                      + " clients are on the site of node n1."));
    }
    if (cases.stream().anyMatch(Feasibility::needsMemory)) {
      noMemory.ifPresent(obstacle -> notes.add("NOT MEASURED: data in memory; " + obstacle + "."));
    }
    if (cases.stream().anyMatch(each -> each.conditions().limitsCpu())) {
      noCpuLimits.ifPresent(
          obstacle ->
              notes.add("NOT MEASURED: nodes with a part of a core each; " + obstacle + "."));
    }
    return notes;
  }

  private static boolean needsDelays(Case one) {
    return !one.oneWayDelay().isZero();
  }

  private static boolean needsMemory(Case one) {
    return one.clusters().medium() == DataMedium.MEMORY;
  }
}
