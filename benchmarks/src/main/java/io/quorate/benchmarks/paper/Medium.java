package io.quorate.benchmarks.paper;

/** On what nodes keep their data. */
public enum Medium {
  /** The directory that was chosen for it, with every guarantee of its disk. */
  DISK,
  /** Memory, where syncing costs nothing: what else an answer takes shows there. */
  MEMORY
}
