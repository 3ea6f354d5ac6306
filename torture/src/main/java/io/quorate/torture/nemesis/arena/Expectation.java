package io.quorate.torture.nemesis.arena;

/** What is required of the cluster while a fault lasts, besides correct results. */
public enum Expectation {
  /** Nothing: the fault may stop regions while it lasts. */
  SAFETY,
  /** A majority is healthy from the start of the fault: writes to every region continue. */
  PROGRESS_FROM_ONSET,
  /** The same once the fault is injected, because its injection first stops a node. */
  PROGRESS_ONCE_ESTABLISHED
}
