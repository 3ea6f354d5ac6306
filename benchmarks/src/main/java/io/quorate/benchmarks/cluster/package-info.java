/**
 * Clusters that measurements start and delete: their options, data directories, CPU limits and
 * simulated networks. What is measured on them does not belong here.
 */
package io.quorate.benchmarks.cluster;
