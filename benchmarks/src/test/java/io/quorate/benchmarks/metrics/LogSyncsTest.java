package io.quorate.benchmarks.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogSyncsTest {
  @Test
  void theLogsOfAllNodesCount() {
    Scrape scrape =
        new Scrape(
            PrometheusText.parse(
                """
                quorate_log_sync_seconds_count{node="n1"} 100
                quorate_log_sync_seconds_sum{node="n1"} 7
                quorate_log_sync_seconds_count{node="n2"} 23
                """));

    assertThat(LogSyncs.of(scrape)).isEqualTo(123);
  }
}
