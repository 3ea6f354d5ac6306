package io.quorate.benchmarks.paper.experiment;

/** The storage medium of the data of the nodes. */
public enum DataMedium {
  /** The chosen directory, with the guarantees of its disk. */
  DISK,
  /** Memory, where fsync costs nothing, which shows the other costs of a response. */
  MEMORY,
  /** A device of its own for each node, whose speed is limited. */
  LIMITED_DEVICES
}
