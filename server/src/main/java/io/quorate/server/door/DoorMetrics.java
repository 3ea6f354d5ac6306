package io.quorate.server.door;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;
import io.quorate.consensus.Telemetry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Measurements of requests. Any thread. */
final class DoorMetrics {
  private static final Duration SLOWEST = Duration.ofMinutes(1);

  private final Map<Opcode, Map<Status, Telemetry.Counter>> answers = new EnumMap<>(Opcode.class);
  private final Map<Opcode, Telemetry.Timer> times = new EnumMap<>(Opcode.class);
  private final Telemetry.Counter overloaded;
  private final Telemetry.Counter broken;

  DoorMetrics(Telemetry telemetry) {
    for (Opcode opcode : Opcode.values()) {
      String name = text(opcode);
      Map<Status, Telemetry.Counter> byStatus = new EnumMap<>(Status.class);
      for (Status status : Status.values()) {
        Map<String, String> tags = Map.of("request", name, "status", text(status));
        byStatus.put(
            status,
            telemetry.counter(
                "requests", "Requests, by kind and by the status of the response", tags));
      }
      answers.put(opcode, byStatus);
      times.put(
          opcode,
          telemetry.timer(
              "request", "Time from a request to its response", Map.of("request", name), SLOWEST));
    }
    overloaded =
        telemetry.counter(
            "requests.not.admitted",
            "Requests refused because of the bounds on what is in flight",
            Map.of());
    broken =
        telemetry.counter(
            "connections.broken", "Connections closed for what the client sent", Map.of());
  }

  void answered(Opcode opcode, Status status, long nanos) {
    answers.get(opcode).get(status).add(1);
    times.get(opcode).record(nanos);
  }

  /** A frame that was passed over because of the bounds on what is in flight. */
  void notAdmitted() {
    overloaded.add(1);
  }

  /** A connection that was closed for what its client sent. */
  void broken() {
    broken.add(1);
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
