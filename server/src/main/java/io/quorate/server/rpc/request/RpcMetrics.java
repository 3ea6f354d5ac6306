package io.quorate.server.rpc.request;

import io.quorate.consensus.MetricsSink;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Metrics of requests. Any thread. */
public final class RpcMetrics {
  private static final Duration REQUEST_TIME_MAX = Duration.ofMinutes(1);

  private final Map<Opcode, Map<Status, MetricsSink.Counter>> responses =
      new EnumMap<>(Opcode.class);
  private final Map<Opcode, MetricsSink.Timer> times = new EnumMap<>(Opcode.class);
  private final TrafficCounters traffic;
  private final MetricsSink.Timer refusals;
  private final MetricsSink.Counter overloaded;
  private final MetricsSink.Counter broken;
  private final MetricsSink.Counter altered;

  public RpcMetrics(MetricsSink telemetry, TrafficCounters traffic) {
    this.traffic = traffic;
    for (Opcode opcode : Opcode.values()) {
      String name = text(opcode);
      Map<Status, MetricsSink.Counter> byStatus = new EnumMap<>(Status.class);
      for (Status status : Status.values()) {
        Map<String, String> tags = Map.of("request", name, "status", text(status));
        byStatus.put(
            status,
            telemetry.counter(
                "requests", "Requests, by kind and by the status of the response", tags));
      }
      responses.put(opcode, byStatus);
      times.put(
          opcode,
          telemetry.timer(
              "request",
              "Time from a request to its response",
              Map.of("request", name),
              REQUEST_TIME_MAX));
    }
    refusals =
        telemetry.timer(
            "refusal",
            "Time from a request to its refusal because of overload",
            Map.of(),
            REQUEST_TIME_MAX);
    overloaded =
        telemetry.counter(
            "requests.not.admitted",
            "Requests refused because of the bounds on what is in flight",
            Map.of());
    broken =
        telemetry.counter(
            "connections.broken", "Connections closed for what the client sent", Map.of());
    altered =
        telemetry.counter(
            "connections.altered",
            "Connections closed because a frame, or its encryption, did not match its checksum",
            Map.of());
  }

  void responded(Opcode opcode, Status status, long nanos) {
    responses.get(opcode).get(status).add(1);
    times.get(opcode).record(nanos);
    if (status == Status.OVERLOADED) {
      refusals.record(nanos);
    }
    traffic.responded(opcode, status, nanos);
  }

  /** Counts a frame that was skipped because of the limits on requests in flight. */
  public void notAdmitted() {
    overloaded.add(1);
  }

  /** Counts a connection that was closed because its client violated the protocol or a timeout. */
  public void broken() {
    broken.add(1);
  }

  /** Counts a connection that was closed because a frame of its client was altered on the way. */
  public void altered() {
    altered.add(1);
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
