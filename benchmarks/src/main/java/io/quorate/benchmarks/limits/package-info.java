/**
 * Measures what the machine can do at most: its disk, the loopback, RocksDB and memory. The figures
 * of databases do not belong here.
 */
package io.quorate.benchmarks.limits;
