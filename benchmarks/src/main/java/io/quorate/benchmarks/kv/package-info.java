/**
 * Measures the throughput and latency of single reads and writes under clients in a closed or an
 * open loop, for {@code bench kv} and for the experiments of the papers. Starting clusters and
 * formatting reports do not belong here.
 */
package io.quorate.benchmarks.kv;
