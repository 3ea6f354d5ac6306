package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.cluster.MemoryDirectory;
import io.quorate.benchmarks.cluster.ProcessorShares;
import io.quorate.benchmarks.cluster.WideArea;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which cases need something of the system that it may lack.
 *
 * @param noDelays why there can be no delays between sites; empty if there can
 * @param noMemory why no data can be in memory; empty if it can
 * @param noShares why nodes cannot be bounded in what they take of the processors; empty if they
 *     can
 */
record Feasibility(
    Optional<String> noDelays, Optional<String> noMemory, Optional<String> noShares) {

  static Feasibility here() throws IOException {
    return new Feasibility(
        WideArea.obstacle(), MemoryDirectory.obstacle(), ProcessorShares.obstacle());
  }

  /** Those that can be measured. */
  List<Case> only(List<Case> cases) {
    return cases.stream()
        .filter(each -> noDelays.isEmpty() || !needsDelays(each))
        .filter(each -> noMemory.isEmpty() || !needsMemory(each))
        .filter(each -> noShares.isEmpty() || !each.conditions().boundsProcessors())
        .toList();
  }

  /** What of these cases is left out and why, and what is to be known of those that are not. */
  List<String> notes(List<Case> cases) {
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
    if (cases.stream().anyMatch(each -> each.conditions().boundsProcessors())) {
      noShares.ifPresent(
          obstacle ->
              notes.add("NOT MEASURED: nodes with a part of a core each; " + obstacle + "."));
    }
    return notes;
  }

  private static boolean needsDelays(Case one) {
    return !one.oneWayDelay().isZero();
  }

  private static boolean needsMemory(Case one) {
    return one.clusters().medium() == Medium.MEMORY;
  }
}
