package io.quorate.server.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyncWatchTest {
  private static final long HUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  @TempDir private Path directory;
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void letTheDeviceContinue() {
    SyncWatch.BEFORE_SYNC.off();
    release.countDown();
  }

  private void hang() {
    SyncWatch.BEFORE_SYNC.on(
        (failpoint, file) -> {
          try {
            release.await();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        });
  }

  @Test
  void eachSyncIsReportedOnce() throws IOException {
    int taken = 0;
    try (SyncWatch watch = SyncWatch.start(directory)) {
      while (taken < 3) {
        await().until(() -> watch.status().completed() > 0);
        SyncSamples samples = watch.take();
        assertThat(samples.completedNanos()).allMatch(nanos -> nanos > 0);
        taken += samples.completedNanos().size();
      }
      SyncStatus status = watch.status();
      assertThat(status.completed()).isGreaterThanOrEqualTo(taken);
      assertThat(status.averageNanos()).isPositive();
      assertThat(status.failed()).isZero();
    }
    assertThat(directory).as("after close").isEmptyDirectory();
  }

  @Test
  void aHungSyncIsVisibleAndDelaysNoReaderForever() throws IOException {
    SyncWatch watch = SyncWatch.start(directory);
    try {
      await().until(() -> watch.status().completed() > 0);
      hang();
      await().until(() -> watch.status().inProgressNanos() > HUNG_NANOS);
      assertThat(watch.take().inProgressNanos()).isGreaterThan(HUNG_NANOS);
    } finally {
      // Returns although the fsync does not.
      watch.close();
    }
    assertThat(watch.status().inProgressNanos()).isGreaterThan(HUNG_NANOS);

    release.countDown();
    await().untilAsserted(() -> assertThat(directory).isEmptyDirectory());
  }

  @Test
  void aFailedSyncIsCountedAndTheNextOneIsMeasured() throws IOException {
    SyncWatch.BEFORE_SYNC.on(
        (failpoint, file) -> {
          throw new IOException("injected");
        });
    try (SyncWatch watch = SyncWatch.start(directory)) {
      await().until(() -> watch.status().failed() > 0);
      assertThat(watch.status().completed()).isZero();
      SyncWatch.BEFORE_SYNC.off();
      await().until(() -> watch.status().completed() > 0);
    }
  }
}
