/**
 * Measures what a call costs the nodes: CPU time, context switches, fsyncs, allocation and writes
 * to disk. Throughput and latency do not belong here; they are in the packages {@code kv} and
 * {@code peers}.
 */
package io.quorate.benchmarks.costs;
