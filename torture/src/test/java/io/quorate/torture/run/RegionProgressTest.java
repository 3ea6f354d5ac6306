package io.quorate.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.torture.run.RegionProgress.Gap;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RegionProgressTest {
  private final AtomicLong now = new AtomicLong(TimeUnit.DAYS.toNanos(1));
  private final RegionProgress progress = new RegionProgress(List.of(1, 2), now::get);

  private void pass(int seconds) {
    now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  @Test
  void theLongestGapOfAnyRegionCounts() {
    pass(5);
    progress.begin();
    pass(1);
    progress.succeeded(1);
    progress.succeeded(2);
    pass(2);
    progress.succeeded(2);
    pass(1);
    progress.succeeded(1);
    assertThat(progress.longest()).isEqualTo(new Gap(1, Duration.ofSeconds(3)));
  }

  @Test
  void aGapThatHasNotEndedCounts() {
    progress.begin();
    pass(1);
    progress.succeeded(1);
    pass(3);
    progress.succeeded(1);
    assertThat(progress.longest()).isEqualTo(new Gap(2, Duration.ofSeconds(4)));
  }

  @Test
  void timeBeforeTheMeasurementDoesNotCount() {
    progress.begin();
    pass(9);
    progress.begin();
    pass(1);
    assertThat(progress.longest().length()).isEqualTo(Duration.ofSeconds(1));
  }
}
