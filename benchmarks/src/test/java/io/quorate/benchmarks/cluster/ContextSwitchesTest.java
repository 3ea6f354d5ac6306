package io.quorate.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ContextSwitchesTest {
  private static final long PID = ProcessHandle.current().pid();

  @Test
  void bothKindsCount() throws IOException {
    assertThat(
            ContextSwitches.parse(
                List.of(
                    "Threads:\t80",
                    "voluntary_ctxt_switches:\t1200",
                    "nonvoluntary_ctxt_switches:\t34")))
        .isEqualTo(1234);
  }

  @Test
  void aSystemThatDoesNotCountIsRefused() {
    assertThatThrownBy(() -> ContextSwitches.parse(List.of("voluntary_ctxt_switches:\t1200")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void newThreadsCountAndEndedOnesDoNot() {
    ContextSwitches before = new ContextSwitches(Map.of(1L, 100L, 2L, 50L, 3L, 90L));
    // Thread 2 has ended, 4 is new, and 3 is another thread with the id of one that has ended.
    ContextSwitches after = new ContextSwitches(Map.of(1L, 130L, 3L, 4L, 4L, 7L));

    assertThat(after.since(before)).isEqualTo(30 + 4 + 7);
  }

  @Test
  void everyWaitOfAnyThreadCounts() throws Exception {
    assumeTrue(ContextSwitches.isSupported(), "no /proc on this system");
    int waits = 200;
    CountDownLatch waited = new CountDownLatch(1);
    CountDownLatch counted = new CountDownLatch(1);
    Thread other =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < waits; i++) {
                  TimeUnit.MILLISECONDS.sleep(1);
                }
                waited.countDown();
                // Until then its counts are not gone with it.
                counted.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    ContextSwitches before = ContextSwitches.of(List.of(PID));

    other.start();
    waited.await();
    long switches = ContextSwitches.of(List.of(PID)).since(before);
    counted.countDown();
    other.join();

    assertThat(switches).isGreaterThanOrEqualTo(waits);
  }

  @Test
  void aProcessThatDoesNotExistIsRefused() {
    assumeTrue(ContextSwitches.isSupported(), "no /proc on this system");

    assertThatThrownBy(() -> ContextSwitches.of(List.of(Long.MAX_VALUE)))
        .isInstanceOf(IOException.class);
  }
}
