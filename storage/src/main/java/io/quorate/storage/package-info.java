/**
 * The replicated state machine on RocksDB: applies committed commands, serves reads, deduplicates
 * requests with client sessions, and exports and installs snapshots. All use of RocksDB belongs
 * here. Consensus, networking, routing of keys to regions and the encoding of commands and results
 * do not.
 *
 * <p>{@link io.quorate.storage.Storage} is the database of one node; {@link
 * io.quorate.storage.RegionStore} is one region's part of it. Data, applied position and sessions
 * are written in one batch and flushed atomically, so that the state that survives a crash is the
 * state at one position, from which the consensus log is replayed.
 */
package io.quorate.storage;
