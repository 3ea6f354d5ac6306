/**
 * The replicated state machine over RocksDB: applies committed commands, answers reads of applied
 * state, remembers client sessions, and writes and installs snapshots.
 *
 * <p>{@link io.quorate.storage.Storage} is one database a node; {@link
 * io.quorate.storage.RegionStore} is one region's part of it. Data, applied position and sessions
 * are written in one batch and flushed in one cut, so that whatever survives a crash is the state
 * as of one position, from which the consensus log goes on.
 */
package io.quorate.storage;
