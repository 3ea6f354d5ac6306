package io.quorate.benchmarks.paper;

import java.time.Duration;

/**
 * How long is measured.
 *
 * @param rounds how often each contender has its turn under each load, if there is time for it
 * @param ramp at the start of each turn, not measured
 * @param slice the measured part of each turn
 * @param warmup for each contender, before anything is measured
 * @param most after so long no further round begins but the first on clusters of a size
 */
public record Pace(int rounds, Duration ramp, Duration slice, Duration warmup, Duration most) {}
