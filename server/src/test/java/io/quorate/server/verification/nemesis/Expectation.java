package io.quorate.server.verification.nemesis;

/** What the cluster owes its clients while a fault lasts, beyond giving them no wrong answer. */
public enum Expectation {
  /** Nothing: the fault may stop regions for as long as it lasts. */
  SAFETY,
  /** A majority is well from the moment the fault begins: writes to every region go on. */
  PROGRESS_FROM_ONSET,
  /** The same once the fault is established: before, a node was stopped for longer. */
  PROGRESS_ONCE_ESTABLISHED
}
