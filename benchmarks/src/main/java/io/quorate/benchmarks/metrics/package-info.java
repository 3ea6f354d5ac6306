/**
 * Reads the metrics of the nodes of a cluster over HTTP. The interpretation of single metrics does
 * not belong here; it is in the package {@code paper}.
 */
package io.quorate.benchmarks.metrics;
