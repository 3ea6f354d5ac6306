package io.quorate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.MetricsSink;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MicrometerTelemetryTest {
  private static final Map<String, String> FIRST = Map.of("region", "1");
  private static final Map<String, String> SECOND = Map.of("region", "2");

  @Test
  void theMetersOfARegionThatHasLeftAreRemovedAndMayReturn() {
    try (NodeMetrics metrics = new NodeMetrics("c", "n1", "0")) {
      MicrometerTelemetry telemetry = metrics.telemetry();
      MetricsSink.Counter commands = telemetry.counter("commands", "Commands", FIRST);
      telemetry.counter("commands", "Commands", SECOND).add(2);
      telemetry.gauge("position", "Position", FIRST, () -> 1);
      telemetry.gauge("position", "Position", SECOND, () -> 2);
      commands.add(1);

      telemetry.remove("region", "1");
      commands.add(1);

      assertThat(metrics.registry().scrape())
          .doesNotContain("region=\"1\"")
          .contains("quorate_commands_total{cluster=\"c\",node=\"n1\",region=\"2\"")
          .contains("quorate_position{cluster=\"c\",node=\"n1\",region=\"2\"");

      telemetry.gauge("position", "Position", FIRST, () -> 3);
      assertThat(metrics.registry().scrape())
          .contains("quorate_position{cluster=\"c\",node=\"n1\",region=\"1\"} 3.0");
    }
  }
}
