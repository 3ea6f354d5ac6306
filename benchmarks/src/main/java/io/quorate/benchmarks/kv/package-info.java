/** Throughput and latency of single reads and writes under closed-loop clients. */
package io.quorate.benchmarks.kv;
