package io.quorate.benchmarks.ycsb.run;

import java.util.Map;

/**
 * The measurements of one kind of operation.
 *
 * @param count number of successful operations
 * @param meanMillis mean latency
 * @param millisByPercentile latencies in ascending order of the percentiles, such as {@code 99.9}
 */
record OperationStats(long count, double meanMillis, Map<Double, Double> millisByPercentile) {}
