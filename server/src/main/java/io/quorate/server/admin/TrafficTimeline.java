package io.quorate.server.admin;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.TrafficSample;
import io.quorate.client.cluster.TrafficSample.Latency;
import io.quorate.model.NodeId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/**
 * The traffic of all nodes at common times, as JSON. Nodes end their samples at different moments;
 * the value of a node at one time is that of the sample in which the time lies.
 *
 * <pre>
 * node       the node that responds
 * intervalMs the time between two times, in milliseconds
 * times      [milliseconds since 1970, by the clock of the node that responds; multiples of
 *            intervalMs, so that later responses have the same times]
 * nodes      [{id, reads: [requests in a second], writes, failures,
 *              readMeanMicros: [microseconds], readP99Micros, writeMeanMicros, writeP99Micros}]
 * </pre>
 *
 * <p>Each list has one value for each time, which is null where the node has none: before its
 * start, and for a time without a read or write. A node that does not respond is missing.
 */
final class TrafficTimeline {
  private static final long INTERVAL_MILLIS = 5000;
  private static final int TIMES = 60;

  /** A node has not ended its sample of the time before; samples are up to a second late. */
  private static final long DELAY_MILLIS = INTERVAL_MILLIS + 2000;

  private final long nowMillis;
  private final List<Long> times;

  private TrafficTimeline(long nowMillis) {
    this.nowMillis = nowMillis;
    long last = Math.floorDiv(nowMillis - DELAY_MILLIS, INTERVAL_MILLIS) * INTERVAL_MILLIS;
    this.times =
        LongStream.range(0, TIMES)
            .map(i -> last - (TIMES - 1 - i) * INTERVAL_MILLIS)
            .boxed()
            .toList();
  }

  /**
   * Returns the object, for {@link io.quorate.server.cli.format.JsonText}.
   *
   * @param self the node that responds
   * @param nowMillis milliseconds since 1970, shortly after the status was collected
   */
  static Map<String, Object> of(NodeId self, ClusterStatus status, long nowMillis) {
    TrafficTimeline timeline = new TrafficTimeline(nowMillis);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("node", self.value());
    json.put("intervalMs", INTERVAL_MILLIS);
    json.put("times", timeline.times);
    json.put(
        "nodes",
        status.nodes().stream()
            .map(NodeReport::state)
            .flatMap(Optional::stream)
            .map(timeline::node)
            .toList());
    return json;
  }

  private Map<String, Object> node(NodeState node) {
    List<Optional<TrafficSample>> samples =
        times.stream().map(time -> at(nowMillis - time, node.traffic())).toList();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", node.id().value());
    json.put("reads", values(samples, rate(TrafficSample::reads)));
    json.put("writes", values(samples, rate(TrafficSample::writes)));
    json.put("failures", values(samples, rate(TrafficSample::failures)));
    putLatency(json, "read", samples, TrafficSample::readLatency);
    putLatency(json, "write", samples, TrafficSample::writeLatency);
    return json;
  }

  private static void putLatency(
      Map<String, Object> json,
      String kind,
      List<Optional<TrafficSample>> samples,
      Function<TrafficSample, Optional<Latency>> of) {
    json.put(kind + "MeanMicros", values(samples, s -> of.apply(s).map(Latency::meanMicros)));
    json.put(kind + "P99Micros", values(samples, s -> of.apply(s).map(Latency::p99Micros)));
  }

  /** The sample in which a time lies that was so long ago. */
  private static Optional<TrafficSample> at(long ageMillis, List<TrafficSample> samples) {
    return samples.stream()
        .filter(
            sample -> {
              long end = sample.age().toMillis();
              return end <= ageMillis && ageMillis < end + sample.span().toMillis();
            })
        .findFirst();
  }

  private static <T> List<Optional<T>> values(
      List<Optional<TrafficSample>> samples, Function<TrafficSample, Optional<T>> of) {
    return samples.stream().map(sample -> sample.flatMap(of)).toList();
  }

  /** Requests in a second, with one decimal. */
  private static Function<TrafficSample, Optional<Double>> rate(
      ToLongFunction<TrafficSample> count) {
    return sample -> {
      double perSecond = count.applyAsLong(sample) * 1000.0 / sample.span().toMillis();
      return Optional.of(Math.round(perSecond * 10) / 10.0);
    };
  }
}
