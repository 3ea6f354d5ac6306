package io.quorate.benchmarks.kv;

/** Which of the keys that are there a call is for. */
public enum KeyChoice {
  /** All equally likely. */
  UNIFORM,
  /** A few are hot, as YCSB has it: the skew is 0.99. */
  ZIPFIAN,
  /** The same, and the hottest are those that were inserted last. */
  LATEST
}
