package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.peers.run.Measured;
import java.util.Optional;

/**
 * What was measured of some clusters.
 *
 * @param part the clusters, also those that did not serve
 * @param measured the figures
 */
record MeasuredPart(GrowthPart part, Measured measured) {

  Results results() {
    return measured.results();
  }

  /** The preset of all its clusters. */
  String preset() {
    return part.contenders().get(0).preset();
  }

  /** The cluster with this many regions, all of which can be in use; empty if it did not serve. */
  Optional<SystemUnderTest> busy(int regions) {
    return part.isBusy()
        ? part.contenders().stream()
            .filter(each -> each.regions() == regions)
            .flatMap(
                each ->
                    measured.systems().stream().filter(system -> system.name().equals(each.name())))
            .findFirst()
        : Optional.empty();
  }

  /** The measured load of an experiment with one kind of call and this many clients. */
  Optional<Case> load(String experiment, CallKind kind, int clients) {
    return results().cases(experiment).stream()
        .filter(each -> each.load().mix().share(kind) == 1 && each.load().clients() == clients)
        .findFirst();
  }
}
