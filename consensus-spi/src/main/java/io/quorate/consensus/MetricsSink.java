package io.quorate.consensus;

import java.time.Duration;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Receives the measurements of engines and storage, independent of the library that collects them.
 *
 * <p>Names are dotted and in lower case; a base unit such as {@code bytes} is the last part. A help
 * text is a phrase without a full stop, the same for every registration of a name. Registering a
 * name again with the same tags returns the earlier meter or replaces it.
 *
 * <p>A node may have thousands of regions. So what has a histogram is measured for the node, and
 * only counters and gauges have a region among their tags.
 */
public interface MetricsSink {

  /** Counts events. May be called from any thread; neither blocks nor allocates. */
  interface Counter {
    void add(long amount);
  }

  /** Records sizes. May be called from any thread; neither blocks nor allocates. */
  interface Distribution {
    void record(long value);
  }

  /** Records durations. May be called from any thread; neither blocks nor allocates. */
  interface Timer {
    void record(long nanos);
  }

  /** Registers a counter. */
  Counter counter(String name, String help, Map<String, String> tags);

  /**
   * Registers a counter whose value the caller maintains.
   *
   * @param value returns the current count, which never decreases. Called on any thread at each
   *     collection; must return quickly.
   */
  void counter(String name, String help, Map<String, String> tags, DoubleSupplier value);

  /**
   * Registers a distribution of values.
   *
   * @param maximum the upper bound of the histogram; larger values are not distinguished
   */
  Distribution distribution(String name, String help, Map<String, String> tags, long maximum);

  /**
   * Registers a timer. It is exported in seconds; its name does not contain the unit.
   *
   * @param maximum the upper bound of the histogram; longer durations are not distinguished
   */
  Timer timer(String name, String help, Map<String, String> tags, Duration maximum);

  /**
   * Registers a gauge.
   *
   * @param value returns the current value, or NaN if it is unknown. Called on any thread at each
   *     collection; must return quickly.
   */
  void gauge(String name, String help, Map<String, String> tags, DoubleSupplier value);

  /**
   * Removes all meters that have a tag of this value, such as those of a region that has left the
   * node. What is still recorded with them is lost.
   */
  void remove(String tag, String value);

  /** Discards all measurements. */
  MetricsSink NONE =
      new MetricsSink() {
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

        @Override
        public void remove(String tag, String value) {}
      };
}
