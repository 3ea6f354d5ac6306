/**
 * The transfer of snapshots to replicas that are too far behind for the log: the sender exports its
 * state to files, and the receiver fetches them in chunks. Transport, the choice of the sender and
 * installation belong to the engines.
 */
package io.quorate.replication.snapshot;
