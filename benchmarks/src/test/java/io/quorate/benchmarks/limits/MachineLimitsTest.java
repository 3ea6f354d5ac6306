package io.quorate.benchmarks.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineLimitsTest {
  @TempDir private Path parent;

  private void assertNothingIsLeft() throws IOException {
    try (Stream<Path> left = Files.list(parent)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void everyLimitIsMeasuredInEachRoundAndNoFileIsLeft() throws IOException {
    try (MachineLimits limits = MachineLimits.open(parent)) {
      for (int round = 0; round < 2; round++) {
        assertThat(limits.measure(Duration.ofMillis(20)))
            .containsOnlyKeys(Limit.values())
            .allSatisfy((limit, value) -> assertThat(value).isPositive());
      }
    }
    assertNothingIsLeft();
  }

  @Test
  void anOperationIsExecutedAtLeastOnce() throws IOException {
    try (MachineLimits limits = MachineLimits.open(parent)) {
      assertThat(limits.measure(Duration.ZERO)).containsOnlyKeys(Limit.values());
    }
  }

  @Test
  void theMedianAndTheRateAreOfTheSameRepetitions() throws IOException {
    AtomicInteger executed = new AtomicInteger();

    Repetitions repetitions = Repetitions.run(Duration.ofMillis(5), executed::incrementAndGet);

    assertThat(repetitions.count()).isEqualTo(executed.get()).isPositive();
    assertThat(repetitions.perSecond()).isPositive();
    assertThat(repetitions.p50Millis()).isBetween(0.0, 1000.0 * repetitions.count());
  }

  @Test
  void aFailureOfTheDiskIsReported() throws IOException {
    Path noDirectory = Files.createFile(parent.resolve("file"));

    assertThatThrownBy(() -> MachineLimits.open(noDirectory)).isInstanceOf(IOException.class);

    Files.delete(noDirectory);
    assertNothingIsLeft();
  }

  @Test
  void theReportHasTheMedianAndTheSpreadOfTheRounds() {
    LimitRounds rounds = new LimitRounds();
    for (double value : new double[] {900, 1000, 1200}) {
      rounds.add(Map.of(Limit.SYNC_RATE, value));
    }

    assertThat(rounds.of(Limit.SYNC_RATE).orElseThrow().median()).isCloseTo(1000, within(1e-9));
    assertThat(rounds.of(Limit.MEMORY_COPY)).isEmpty();
    assertThat(rounds.rows("peers-limits"))
        .extracting(row -> row.metric() + " " + row.value() + " " + row.unit())
        .containsExactly("fsync-rate 1000.0 fsyncs/s", "fsync-rate-spread 30.0 % of the median");
    assertThat(rounds.table().render()).contains("fsync-rate", "1000", "30 %", "fsyncs/s");
    assertThat(new LimitRounds().table().lines()).hasSize(1);
  }
}
