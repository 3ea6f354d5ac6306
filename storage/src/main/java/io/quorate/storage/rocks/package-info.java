/**
 * RocksDB as this module uses it: opening, column families, batches, cursors, native memory with
 * its leak detector, and the rows of the META family. A new option or call of RocksDB, and the
 * translation of its errors, belong here. Operations, sessions, regions as objects, threads and
 * failpoints do not.
 */
package io.quorate.storage.rocks;
