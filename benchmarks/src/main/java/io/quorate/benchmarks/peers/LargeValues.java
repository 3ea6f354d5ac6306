package io.quorate.benchmarks.peers;

/**
 * A load of puts of large values.
 *
 * @param valueBytes length of the values
 * @param clients number of clients
 * @param keys number of keys
 */
record LargeValues(int valueBytes, int clients, int keys) {}
