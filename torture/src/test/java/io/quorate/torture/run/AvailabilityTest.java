package io.quorate.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AvailabilityTest {
  private final AtomicLong now = new AtomicLong();
  private final Availability availability = new Availability(now::get);

  @Test
  void aGapCountsForEveryFaultThatWasActiveInIt() {
    availability.resume();
    pass(1);
    availability.succeeded();
    availability.faultBegan("kill");
    pass(3);
    availability.faultEnded("kill");
    availability.faultBegan("cut");
    pass(4);
    availability.succeeded();
    pass(2);
    availability.succeeded();
    availability.faultEnded("cut");
    pass(1);
    availability.succeeded();
    pass(2);
    availability.succeeded();

    assertThat(availability.longest())
        .isEqualTo(Map.of("none", seconds(2), "kill", seconds(7), "cut", seconds(7)));
  }

  @Test
  void timeBetweenRoundsDoesNotCountAndTheEndOfARoundDoes() {
    availability.resume();
    pass(1);
    availability.succeeded();
    pass(5);
    availability.suspend();
    pass(100);
    availability.succeeded();
    availability.resume();
    pass(2);
    availability.succeeded();

    assertThat(availability.longest()).isEqualTo(Map.of("none", seconds(5)));
  }

  private void pass(long seconds) {
    now.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  private static Duration seconds(long count) {
    return Duration.ofSeconds(count);
  }
}
