/**
 * The rounds of quorum reads at a node: batches of reads, their bounds and encoding, and the
 * positions that reads wait for. The rule by which replies are merged belongs to {@code
 * io.quorate.quorum}; the tracking of logs belongs to the engines.
 */
package io.quorate.replication.quorum;
