package io.quorate.benchmarks.kv;

/** The distribution of calls over the existing keys. */
public enum KeyChoice {
  /** All keys are equally likely. */
  UNIFORM,
  /** A few keys are hot, as in YCSB: the skew is 0.99. */
  ZIPFIAN,
  /** Like {@link #ZIPFIAN}, with the keys inserted last as the hottest. */
  LATEST,
  /** 80 % of the calls use 20 % of the keys, as in YCSB's distribution {@code hotspot}. */
  HOT_FIFTH(0.2),
  /** 80 % of the calls use 1 % of the keys. */
  HOT_HUNDREDTH(0.01),
  /** 80 % of the calls use 0.1 % of the keys. */
  HOT_THOUSANDTH(0.001);

  /** The part of the calls that use hot keys, where there are some. */
  static final double HOT_CALLS = 0.8;

  private final double hotKeys;

  KeyChoice() {
    this(0);
  }

  KeyChoice(double hotKeys) {
    this.hotKeys = hotKeys;
  }

  /** The part of the keys that is equally hot, from 0 to 1; 0 if the distribution has no such. */
  public double hotKeys() {
    return hotKeys;
  }
}
