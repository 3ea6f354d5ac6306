/**
 * Quorum reads: shares of a majority merged into an answer, or into a position to wait for. One
 * rule for every engine whose logs are prefixes of one order; it may run at a node or in a client.
 */
package io.quorate.consensus.quorum;
