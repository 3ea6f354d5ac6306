package io.quorate.consensus;

import java.time.Duration;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Where engines and storage put their measurements, whatever collects them. Names are dotted lower
 * case, with the unit last where it is a base unit: {@code bytes}. A help text is a phrase without
 * a full stop, the same for every registration of a name. Registering a name with the same tags
 * again returns or replaces the earlier one.
 */
public interface Telemetry {

  /** Counts events. Any thread; does not block or allocate. */
  interface Counter {
    void add(long amount);
  }

  /** Records sizes. Any thread; does not block or allocate. */
  interface Distribution {
    void record(long value);
  }

  /** Records durations. Any thread; does not block or allocate. */
  interface Timer {
    void record(long nanos);
  }

  Counter counter(String name, String help, Map<String, String> tags);

  /**
   * A count that the caller keeps, and that only grows.
   *
   * @param value called by any thread, whenever it is collected; must be quick
   */
  void counter(String name, String help, Map<String, String> tags, DoubleSupplier value);

  /**
   * @param maximum the largest value that is told apart from larger ones
   */
  Distribution distribution(String name, String help, Map<String, String> tags, long maximum);

  /**
   * Collected in seconds, of which its name says nothing.
   *
   * @param maximum the longest time that is told apart from longer ones
   */
  Timer timer(String name, String help, Map<String, String> tags, Duration maximum);

  /**
   * What is now.
   *
   * @param value called by any thread, whenever it is collected; must be quick. Not a number where
   *     nothing is known.
   */
  void gauge(String name, String help, Map<String, String> tags, DoubleSupplier value);

  /** Measures nothing. */
  Telemetry NONE =
      new Telemetry() {
        @Override
        public Counter counter(String name, String help, Map<String, String> tags) {
          return amount -> {};
        }

        @Override
        public void counter(
            String name, String help, Map<String, String> tags, DoubleSupplier value) {}

        @Override
        public Distribution distribution(
            String name, String help, Map<String, String> tags, long maximum) {
          return value -> {};
        }

        @Override
        public Timer timer(String name, String help, Map<String, String> tags, Duration maximum) {
          return nanos -> {};
        }

        @Override
        public void gauge(
            String name, String help, Map<String, String> tags, DoubleSupplier value) {}
      };
}
