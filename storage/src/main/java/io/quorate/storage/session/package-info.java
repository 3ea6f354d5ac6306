/**
 * Client sessions: which request takes effect, which result is stored, and the encoding of both.
 * Deduplication, floors, windows, expiry and the row formats of sessions and results belong here.
 * All of it is deterministic, since replicas decide by what is replicated alone (decision 0021):
 * options, clocks, random numbers, metrics and RocksDB do not belong here.
 */
package io.quorate.storage.session;
