package io.quorate.benchmarks.peers.run;

import io.quorate.benchmarks.limits.LimitRounds;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Results;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What was measured.
 *
 * @param systems the contenders that served, in the order of the report
 * @param cases all loads, with these systems
 * @param results figures and failures
 * @param distributions the latencies
 * @param limits of the machine; empty if they could not be measured
 * @param missing the reason for each contender that could not be had or did not serve
 * @param isInterrupted whether an interrupt of the thread ended it early
 */
public record Measured(
    List<SystemUnderTest> systems,
    List<Case> cases,
    Results results,
    LatencyDistributions distributions,
    LimitRounds limits,
    Map<String, String> missing,
    boolean isInterrupted) {

  /** How figures and ratios came about, a sentence. */
  public String method(RunPlan plan) {
    return String.format(
        Locale.ROOT,
        "Each figure is the median of %d rounds of %.1f s, after %d s of warm-up; a ratio is the"
            + " median of the rounds' ratios to %s, of turns one directly after the other.",
        plan.rounds(),
        plan.slice().toMillis() / 1000.0,
        plan.warmup().toSeconds(),
        systems.get(0).name());
  }
}
