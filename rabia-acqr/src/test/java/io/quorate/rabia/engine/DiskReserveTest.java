package io.quorate.rabia.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DiskReserveTest {
  private final AtomicLong free = new AtomicLong();
  private final AtomicInteger changes = new AtomicInteger();

  private DiskReserve reserve(DiskReserve.FreeBytes bytes) {
    return new DiskReserve(bytes, 100, changes::incrementAndGet);
  }

  @Test
  void isLowBelowTheReserveUntilAQuarterMoreIsFree() {
    try (DiskReserve reserve = reserve(free::get)) {
      for (long[] step : new long[][] {{100, 0}, {99, 1}, {100, 1}, {124, 1}, {125, 0}, {100, 0}}) {
        free.set(step[0]);
        reserve.check();
        assertThat(reserve.isLow()).as("with %d free", step[0]).isEqualTo(step[1] == 1);
      }
    }
    assertThat(changes).hasValue(2);
  }

  @Test
  void aFailedCheckKeepsTheState() {
    try (DiskReserve reserve =
        reserve(
            () -> {
              throw new IOException("not now");
            })) {
      reserve.check();
      assertThat(reserve.isLow()).isFalse();
    }
  }
}
