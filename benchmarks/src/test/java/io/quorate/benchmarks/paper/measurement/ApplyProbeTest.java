package io.quorate.benchmarks.paper.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.metrics.PrometheusText;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ApplyProbeTest {
  private static Scrape scrape(double lagSeconds, int commands) {
    return new Scrape(
        PrometheusText.parse(
            String.format(
                Locale.ROOT,
                """
                quorate_storage_apply_lag_seconds_total{region="0"} 50
                quorate_storage_apply_lag_seconds_total{region="1"} %f
                quorate_storage_apply_commands_total{region="0"} 7
                quorate_storage_apply_commands_total{region="1"} %d
                """,
                lagSeconds,
                commands)));
  }

  @Test
  void theTimeToApplyIsTheMeanOfTheCommandsOfTheData() {
    assertThat(ApplyProbe.figures(scrape(1, 100), scrape(1.5, 350)))
        .containsOnly(Map.entry(Metric.COMMIT_TO_APPLY, 2.0));
    assertThat(ApplyProbe.figures(scrape(1, 100), scrape(1, 100))).isEmpty();
  }

  @Test
  void theShareIsOfTheMeanTimeOfAWrite() {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    figures.put(Metric.WRITE_MEAN, 5.0);
    ApplyProbe.addShare(figures);
    assertThat(figures).doesNotContainKey(Metric.APPLY_SHARE);

    figures.put(Metric.COMMIT_TO_APPLY, 2.0);
    ApplyProbe.addShare(figures);
    assertThat(figures).containsEntry(Metric.APPLY_SHARE, 0.4);
  }
}
