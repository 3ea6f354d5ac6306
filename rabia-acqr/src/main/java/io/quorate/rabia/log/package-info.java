/**
 * The records of a replica in the log of its node, {@link io.quorate.replication.log}. Other
 * packages use it through {@link io.quorate.rabia.log.ReplicaLog}. The content of records belongs
 * to {@code protocol}, their encoding to {@code codec}.
 *
 * <p>A record of a slot is an event of that slot. A checkpoint is an event of the slot after it, so
 * that it lives as long as the slots which continue it. The last reservation is a state: of those
 * only the last counts, and no truncation may take it.
 */
package io.quorate.rabia.log;
