package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogLimitTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);
  private final List<Long> lines = new ArrayList<>();

  @Test
  void linesBeyondTheLimitOfASecondAreCountedInTheNextOne() {
    LogLimit limit = new LogLimit(2, nanos::get);
    for (int i = 0; i < 100; i++) {
      limit.log(lines::add);
    }
    assertThat(lines).containsExactly(0L, 0L);
    nanos.addAndGet(999_999_999);
    limit.log(lines::add);
    assertThat(lines).hasSize(2);
    nanos.addAndGet(1);
    limit.log(lines::add);
    limit.log(lines::add);
    assertThat(lines).containsExactly(0L, 0L, 99L, 0L);
  }

  @Test
  void theTextSaysWhatWasLeftOut() {
    assertThat(LogLimit.text(0)).isEmpty();
    assertThat(LogLimit.text(7)).contains("7 lines");
  }
}
