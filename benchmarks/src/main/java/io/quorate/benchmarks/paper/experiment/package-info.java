/**
 * What is measured: systems under test, clusters, loads, conditions and durations. Data without
 * behaviour; the execution is in the package {@code measurement}.
 */
package io.quorate.benchmarks.paper.experiment;
