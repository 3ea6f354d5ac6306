/**
 * Export of a region at one position as table files with a manifest, and its crash-safe
 * installation in another node. The manifest, staging directories and the steps of an install with
 * their failpoints belong here. The transport of the files belongs to {@code
 * io.quorate.replication.snapshot}, snapshots of RocksDB for a read to {@code rocks}, the row
 * formats of sessions to {@code session}.
 */
package io.quorate.storage.snapshot;
