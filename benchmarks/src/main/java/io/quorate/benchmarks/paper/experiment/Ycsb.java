package io.quorate.benchmarks.paper.experiment;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.Mix;

/** The core workloads of YCSB, as it defines them. */
public enum Ycsb {
  LOAD("Load", Mix.of(CallKind.INSERT), KeyChoice.UNIFORM),
  A("A", Mix.of(CallKind.GET, 0.5, CallKind.PUT), KeyChoice.ZIPFIAN),
  B("B", Mix.of(CallKind.GET, 0.95, CallKind.PUT), KeyChoice.ZIPFIAN),
  C("C", Mix.of(CallKind.GET), KeyChoice.ZIPFIAN),
  D("D", Mix.of(CallKind.GET, 0.95, CallKind.INSERT), KeyChoice.LATEST),
  E("E", Mix.of(CallKind.SCAN, 0.95, CallKind.INSERT), KeyChoice.ZIPFIAN),
  F("F", Mix.of(CallKind.GET, 0.5, CallKind.READ_MODIFY_WRITE), KeyChoice.ZIPFIAN);

  private final String text;
  private final Mix mix;
  private final KeyChoice choice;

  Ycsb(String text, Mix mix, KeyChoice choice) {
    this.text = text;
    this.mix = mix;
    this.choice = choice;
  }

  public Mix mix() {
    return mix;
  }

  public KeyChoice choice() {
    return choice;
  }

  /** The name in YCSB. */
  @Override
  public String toString() {
    return text;
  }
}
