package io.quorate.benchmarks.paper.experiment;

/** The storage medium of the data of the nodes. */
public enum DataMedium {
  /** The chosen directory, with the guarantees of its disk. */
  DISK,
  /** Memory, where fsync costs nothing, which shows the other costs of a response. */
  MEMORY,
  /** Memory as well, where fsyncs take the time of the conditions. */
  DELAYED_SYNCS,
  /** A device of its own for each node, whose speed is limited. */
  LIMITED_DEVICES
}
