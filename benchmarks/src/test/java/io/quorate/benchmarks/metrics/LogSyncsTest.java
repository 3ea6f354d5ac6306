package io.quorate.benchmarks.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogSyncsTest {
  @Test
  void theLogsOfAllGroupsAndNodesCount() {
    Scrape scrape =
        new Scrape(
            PrometheusText.parse(
                """
                quorate_raft_log_sync_seconds_count{node="n1"} 100
                quorate_raft_log_sync_seconds_sum{node="n1"} 7
                quorate_rabia_log_syncs_total{node="n2",region="1"} 20
                quorate_rabia_log_syncs_total{node="n2",region="2"} 3
                """));

    assertThat(LogSyncs.of(scrape)).isEqualTo(123);
  }
}
