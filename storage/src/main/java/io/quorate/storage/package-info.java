/**
 * The replicated state machine on RocksDB: {@link io.quorate.storage.Storage} is the database of
 * one node, {@link io.quorate.storage.RegionStore} one region's part of it. Opening and closing
 * belong here, and the locks between applying, reading and installing; no other package of storage
 * depends on this one. Applying, reading, snapshots and row formats belong to the packages below;
 * consensus, networking and the routing of keys to regions do not belong to storage.
 *
 * <p>Data, applied position and sessions are written in one batch and flushed atomically, so that
 * the state that survives a crash is the state at one position, from which the consensus log is
 * replayed.
 */
package io.quorate.storage;
