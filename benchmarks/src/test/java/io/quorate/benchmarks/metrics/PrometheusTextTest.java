package io.quorate.benchmarks.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrometheusTextTest {

  @Test
  void samplesAreParsedWithLabelsAndCommentsAreSkipped() {
    List<Sample> samples =
        PrometheusText.parse(
            """
            # HELP rabia_messages
            # TYPE rabia_messages gauge
            rabia_messages{region="1"} 1234.0
            rabia_slots_decided{by="unanimous-proposals",region="1",} 7 1700000000000

            process_uptime_seconds 1.5E-3
            odd{path="C:\\\\x, \\"y\\"\\nz"} +Inf
            """);

    assertThat(samples)
        .containsExactly(
            new Sample("rabia_messages", Map.of("region", "1"), 1234),
            new Sample(
                "rabia_slots_decided", Map.of("by", "unanimous-proposals", "region", "1"), 7),
            new Sample("process_uptime_seconds", Map.of(), 0.0015),
            new Sample("odd", Map.of("path", "C:\\x, \"y\"\nz"), Double.POSITIVE_INFINITY));
  }

  @ParameterizedTest
  @ValueSource(strings = {"name", "name{a=\"b\" 1", "name{a=b} 1", "{a=\"b\"} 1", "name x"})
  void anInvalidSampleIsReportedWithItsLine(String line) {
    assertThatThrownBy(() -> PrometheusText.parse(line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(line);
  }

  @Test
  void aSumAddsTheMatchingSamplesOfAllNodes() {
    Scrape scrape =
        new Scrape(
            List.of(
                new Sample("m", Map.of("region", "0"), 1),
                new Sample("m", Map.of("region", "1"), 10),
                new Sample("m", Map.of("region", "1"), 100),
                new Sample("other", Map.of("region", "1"), 1000)));

    assertThat(scrape.sum("m")).isEqualTo(111);
    assertThat(scrape.sum("m", sample -> "1".equals(sample.labels().get("region")))).isEqualTo(110);
    assertThat(scrape.sum("none")).isZero();
  }
}
