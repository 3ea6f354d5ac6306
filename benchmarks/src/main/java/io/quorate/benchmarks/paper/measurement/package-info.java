/**
 * Measures cases on a testbed: interleaved rounds of clients, and probes that measure the nodes
 * meanwhile. The comparison of the figures does not belong here.
 */
package io.quorate.benchmarks.paper.measurement;
