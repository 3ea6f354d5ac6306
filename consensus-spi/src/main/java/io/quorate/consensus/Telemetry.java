package io.quorate.consensus;

import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Where engines and storage put their measurements, whatever collects them. Names are dotted lower
 * case with the unit last, for example {@code raft.entry.bytes}. Registering a name with the same
 * tags again returns or replaces the earlier one.
 */
public interface Telemetry {

  /** Counts events. Any thread; does not block or allocate. */
  interface Counter {
    void add(long amount);
  }

  /** Records sizes or durations. Any thread; does not block or allocate. */
  interface Distribution {
    void record(long value);
  }

  Counter counter(String name, Map<String, String> tags);

  /**
   * @param maximum the largest value that is told apart from larger ones
   */
  Distribution distribution(String name, Map<String, String> tags, long maximum);

  /** Measured whenever it is asked for, on the asking thread; must be quick. */
  void gauge(String name, Map<String, String> tags, DoubleSupplier value);

  /** Measures nothing. */
  Telemetry NONE =
      new Telemetry() {
        @Override
        public Counter counter(String name, Map<String, String> tags) {
          return amount -> {};
        }

        @Override
        public Distribution distribution(String name, Map<String, String> tags, long maximum) {
          return value -> {};
        }

        @Override
        public void gauge(String name, Map<String, String> tags, DoubleSupplier value) {}
      };
}
