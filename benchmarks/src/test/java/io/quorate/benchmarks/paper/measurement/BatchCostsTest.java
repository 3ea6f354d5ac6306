package io.quorate.benchmarks.paper.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.metrics.PrometheusText;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BatchCostsTest {
  private static Scrape scrape(int batches, int messages, int syncs, int fast, int votes) {
    // No client requested the batches of region 0.
    return new Scrape(
        PrometheusText.parse(
            """
            quorate_rabia_batches_total{region="0"} %1$d
            quorate_rabia_batches_total{region="1"} %1$d
            quorate_rabia_messages_total{region="0"} 5
            quorate_rabia_messages_total{region="1"} %2$d
            quorate_log_sync_seconds_count %3$d
            quorate_rabia_slots_decided_total{by="unanimous-proposals",region="1"} %4$d
            quorate_rabia_slots_decided_total{by="votes",region="1"} %5$d
            quorate_rabia_slots_decided_total{by="skip",region="1"} 900
            """
                .formatted(batches, messages, syncs, fast, votes)));
  }

  @Test
  void figuresAreOfTheIncreaseBetweenTwoScrapes() {
    Map<Metric, Double> metrics =
        new BatchCosts(scrape(30, 100, 7, 10, 0), scrape(330, 900, 307, 100, 10)).metrics(3, 400);

    assertThat(metrics)
        .containsEntry(Metric.COMMANDS_PER_BATCH, 4.0)
        .containsEntry(Metric.MESSAGES_PER_BATCH, 8.0)
        .containsEntry(Metric.MESSAGES_PER_COMMAND, 2.0)
        .containsEntry(Metric.SYNCS_PER_BATCH, 1.0)
        .containsEntry(Metric.SYNCS_PER_COMMAND, 0.75)
        .containsEntry(Metric.FAST_PATH, 90.0);
  }

  @Test
  void withoutBatchesThereAreNoFigures() {
    Scrape same = scrape(30, 100, 7, 10, 0);
    assertThat(new BatchCosts(same, same).metrics(3, 400)).isEmpty();
  }
}
