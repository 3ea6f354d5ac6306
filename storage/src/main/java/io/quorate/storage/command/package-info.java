/**
 * What a command does to values, and what is known of that before it is applied. The execution of
 * operations, the shape of a region and the effect of splits on it, the format of rows, numbers,
 * chains of pending changes to one key (B3) and the prediction of results (B1, B4, B7) belong here.
 * All of it is deterministic, since replicas decide by what is replicated alone (decision 0021):
 * options, clocks, random numbers, metrics, threads and RocksDB do not belong here. Rows are read
 * and written through {@code ValueStore}.
 */
package io.quorate.storage.command;
