/**
 * Quorum reads: the control by which an engine offers them, and the rule that merges the read
 * replies of a majority into a value or into a position to wait for. The rule holds for every
 * engine whose replicas execute prefixes of one log, and runs at a node or in a client.
 */
package io.quorate.quorum;
