package io.quorate.server.door;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;
import io.quorate.consensus.Telemetry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Measurements of requests. Any thread. */
final class DoorMetrics {
  private static final long SLOWEST_MICROS = TimeUnit.MINUTES.toMicros(1);

  private final Map<Opcode, Map<Status, Telemetry.Counter>> answers = new EnumMap<>(Opcode.class);
  private final Map<Opcode, Telemetry.Distribution> micros = new EnumMap<>(Opcode.class);
  private final Telemetry.Counter overloaded;
  private final Telemetry.Counter broken;

  DoorMetrics(Telemetry telemetry) {
    for (Opcode opcode : Opcode.values()) {
      String name = text(opcode);
      Map<Status, Telemetry.Counter> byStatus = new EnumMap<>(Status.class);
      for (Status status : Status.values()) {
        Map<String, String> tags = Map.of("request", name, "status", text(status));
        byStatus.put(status, telemetry.counter("door.answers", tags));
      }
      answers.put(opcode, byStatus);
      micros.put(
          opcode,
          telemetry.distribution("door.request.micros", Map.of("request", name), SLOWEST_MICROS));
    }
    overloaded = telemetry.counter("door.not.admitted", Map.of());
    broken = telemetry.counter("door.connections.broken", Map.of());
  }

  void answered(Opcode opcode, Status status, long nanos) {
    answers.get(opcode).get(status).add(1);
    micros.get(opcode).record(TimeUnit.NANOSECONDS.toMicros(nanos));
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
