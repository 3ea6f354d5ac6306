package io.quorate.benchmarks.kv;

/** The distribution of calls over the existing keys. */
public enum KeyChoice {
  /** All keys are equally likely. */
  UNIFORM,
  /** A few keys are hot, as in YCSB: the skew is 0.99. */
  ZIPFIAN,
  /** Like {@link #ZIPFIAN}, with the keys inserted last as the hottest. */
  LATEST
}
