package io.quorate.benchmarks.growth;

import java.util.OptionalDouble;

/**
 * The memory of the nodes of a cluster before any call, the mean of all nodes.
 *
 * @param nodes number of nodes, each with a replica of each region
 * @param regions number of regions
 * @param connections number of idle connections, distributed evenly over the nodes
 * @param bytes resident memory of a node without these connections
 * @param bytesWithConnections resident memory of a node with them
 */
record MemoryUse(
    int nodes, int regions, int connections, double bytes, double bytesWithConnections) {

  /** The memory of a replica of a region; empty if the other cluster has as many regions. */
  OptionalDouble bytesPerRegion(MemoryUse other) {
    return regions == other.regions
        ? OptionalDouble.empty()
        : OptionalDouble.of((bytes - other.bytes) / (regions - other.regions));
  }

  /** The memory of a connection at its node; empty without connections. */
  OptionalDouble bytesPerConnection() {
    return connections == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of((bytesWithConnections - bytes) * nodes / connections);
  }
}
