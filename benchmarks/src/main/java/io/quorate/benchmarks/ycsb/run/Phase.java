package io.quorate.benchmarks.ycsb.run;

import java.util.Locale;

/** The phases of a run of YCSB. */
enum Phase {
  /** Inserts every record. */
  LOAD("-load"),
  /** Executes the operations. */
  TRANSACTIONS("-t");

  private final String flag;

  Phase(String flag) {
    this.flag = flag;
  }

  /** The option of YCSB's client for this phase. */
  String flag() {
    return flag;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
