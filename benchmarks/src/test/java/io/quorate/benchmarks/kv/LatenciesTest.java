package io.quorate.benchmarks.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LatenciesTest {
  private static final int READS = 200;

  /** As a line of progress does, beside the threads that receive responses. */
  @Test
  void figuresCanBeReadWhileAnotherThreadRecords() throws InterruptedException {
    Latencies latencies = new Latencies();
    latencies.record(1_000_000);
    AtomicBoolean done = new AtomicBoolean();
    Thread recorder =
        new Thread(
            () -> {
              while (!done.get()) {
                latencies.record(1_000_000);
              }
            });
    recorder.start();
    try {
      for (int i = 0; i < READS; i++) {
        assertThat(latencies.meanMillis()).isBetween(0.9, 1.1);
        assertThat(latencies.millis(99)).isBetween(0.9, 1.1);
      }
    } finally {
      done.set(true);
      recorder.join();
    }
  }
}
