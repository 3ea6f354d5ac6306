/**
 * Quorum reads: merging the read replies of a majority into a value or into a position to wait for,
 * and the rounds, bounds and encoding that do so at a node. The rule holds for every engine whose
 * replicas execute prefixes of one log, and runs at a node or in a client. Transport and the
 * tracking of logs belong to the engines.
 */
package io.quorate.quorum;
