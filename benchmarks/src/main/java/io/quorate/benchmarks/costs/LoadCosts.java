package io.quorate.benchmarks.costs;

/**
 * What a load cost.
 *
 * @param throughput calls per second
 */
record LoadCosts(double throughput, CallCosts costs) {}
