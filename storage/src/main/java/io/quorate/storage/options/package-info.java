/**
 * What a node passes to storage when it opens it: options, the keyspace of a region, and the
 * listener with the failures and the new regions that it is notified of. Value types with nothing
 * but their validation belong here; options that change the outcome of a command (decision 0021),
 * the parsing of settings and RocksDB do not.
 */
package io.quorate.storage.options;
