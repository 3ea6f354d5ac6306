/**
 * Clusters that measurements start and delete: their options, data directories, and the disk and
 * processor use of their nodes. Limits and faults of the nodes do not belong here; they are in the
 * testbed of the torture.
 */
package io.quorate.benchmarks.cluster;
