package io.quorate.torture.workload;

import java.util.Random;

/**
 * A mix of operations. Used by many threads, each with clients and a source of randomness of its
 * own.
 */
public interface Workload {
  /** A readable name, which is also part of the keys. */
  String name();

  /**
   * Performs one operation or a few, one after the other. Blocks until they are complete.
   *
   * @param own the thread's client
   * @param other another client of the same thread, which shares no state with {@code own}
   */
  void step(RecordingClient own, RecordingClient other, Random random) throws InterruptedException;
}
