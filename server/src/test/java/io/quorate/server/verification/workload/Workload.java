package io.quorate.server.verification.workload;

import java.util.Random;

/**
 * What the clients of a kind do. Used by many threads, each with clients and randomness of its own.
 */
public interface Workload {
  /** For people, and part of the names of keys. */
  String name();

  /**
   * One operation or a few, one after the other. Blocks for as long as they take.
   *
   * @param own the thread's client
   * @param other another client of the same thread, which knows nothing of what the first was told
   */
  void step(RecordingClient own, RecordingClient other, Random random) throws InterruptedException;
}
