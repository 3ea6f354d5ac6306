/**
 * Measures how throughput and memory of a cluster depend on the numbers of its regions and of its
 * connections.
 */
package io.quorate.benchmarks.growth;
