package io.quorate.server.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.device.DeviceHealth.State;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** In virtual time. */
class DeviceHealthTest {
  private static final int SEEDS = 2000;
  private static final long SECOND = 1000;
  private static final long MINUTE = 60 * SECOND;
  private static final long REPORTED_WITHIN = 2500;
  private static final long RECOVERY = DeviceHealth.RECOVERY.toMillis();

  private final DeviceHealth health =
      new DeviceHealth(DeviceHealth.THRESHOLD, DeviceHealth.RECOVERY);

  private DeviceSimulation device(LongUnaryOperator syncMillis) {
    return new DeviceSimulation(health, syncMillis, 200);
  }

  private static DeviceSimulation device(SplittableRandom random, LongUnaryOperator syncMillis) {
    return new DeviceSimulation(
        new DeviceHealth(DeviceHealth.THRESHOLD, DeviceHealth.RECOVERY),
        syncMillis,
        random.nextInt(500));
  }

  private void assertNeverSlow(DeviceSimulation device, long end) {
    assertThat(device.isReachedBefore(State.SLOW, end)).as("slow at %d ms", device.now()).isFalse();
  }

  @Test
  void aDeviceThatTurnsSlowIsReportedInTime() {
    for (int seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      long fast = 1 + random.nextInt(40);
      long onset = 20 * SECOND + random.nextInt(3000);
      // Above the threshold, which is at most 0.3 s.
      long slow = Math.max(101, 8 * fast + 1) + random.nextInt(random.nextBoolean() ? 200 : 4000);
      DeviceSimulation device = device(random, now -> now < onset ? fast : slow);

      device.runUntil(onset);
      assertThat(device.state()).as("seed %d before onset", seed).isEqualTo(State.WELL);
      assertThat(device.isReachedBefore(State.SLOW, onset + REPORTED_WITHIN))
          .as("seed %d: from %d ms to %d ms", seed, fast, slow)
          .isTrue();
    }
  }

  /** The log has both: an average of many would still be below it. */
  @Test
  void theTimeByWhichADeviceIsSlowIsAboveTheThreshold() {
    DeviceSimulation device = device(now -> now < 20 * SECOND ? 2 : 150);
    assertThat(device.isReachedBefore(State.SLOW, 30 * SECOND)).isTrue();
    assertThat(health.judgedNanos()).isGreaterThan(health.thresholdNanos());
  }

  @Test
  void aDeviceThatHangsIsReportedInTime() {
    for (int seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      long onset = 20 * SECOND + random.nextInt(3000);
      DeviceSimulation device = device(random, now -> now < onset ? 2 : DeviceSimulation.FOREVER);

      device.runUntil(onset);
      assertThat(device.isReachedBefore(State.SLOW, onset + REPORTED_WITHIN))
          .as("seed %d", seed)
          .isTrue();
    }
  }

  @Test
  void singleSlowSyncsAmongFastOnesAreNotSlow() {
    for (int seed = 0; seed < SEEDS / 10; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      long[] fastLeft = {3};
      DeviceSimulation device =
          device(
              random,
              now -> {
                if (fastLeft[0]-- > 0) {
                  return random.nextInt(20);
                }
                fastLeft[0] = 2 + random.nextInt(5);
                return 1 + random.nextInt((int) SECOND);
              });
      assertThat(device.isReachedBefore(State.SLOW, 5 * MINUTE))
          .as("seed %d: slow at %d ms", seed, device.now())
          .isFalse();
    }
  }

  @Test
  void aDeviceIsWellWhenItWasWellForTheRecoveryTime() {
    DeviceSimulation device = device(now -> now >= MINUTE && now < 2 * MINUTE ? 150 : 1);
    device.runUntil(2 * MINUTE);
    assertThat(device.state()).isEqualTo(State.SLOW);

    assertThat(device.isReachedBefore(State.WELL, 2 * MINUTE + RECOVERY)).isFalse();
    assertThat(device.isReachedBefore(State.WELL, 2 * MINUTE + RECOVERY + 2 * SECOND)).isTrue();
    assertNeverSlow(device, 10 * MINUTE);
  }

  @Test
  void aHungDeviceRecoversWhenItsSyncReturns() {
    // The one fsync takes two minutes.
    DeviceSimulation device =
        device(now -> now >= MINUTE && now < MINUTE + SECOND ? 2 * MINUTE : 1);
    assertThat(device.isReachedBefore(State.SLOW, MINUTE + REPORTED_WITHIN)).isTrue();

    assertThat(device.isReachedBefore(State.WELL, 3 * MINUTE + RECOVERY)).isFalse();
    assertThat(device.isReachedBefore(State.WELL, 3 * MINUTE + RECOVERY + 2 * SECOND)).isTrue();
  }

  @Test
  void aFlappingDeviceStaysSlow() {
    long last = 6 * MINUTE;
    // Two seconds of every ten.
    DeviceSimulation device = device(now -> now < last && now % 10_000 < 2000 ? 200 : 1);
    assertThat(device.isReachedBefore(State.SLOW, 15 * SECOND)).isTrue();

    assertThat(device.isReachedBefore(State.WELL, last - 8 * SECOND + RECOVERY)).isFalse();
    assertThat(device.isReachedBefore(State.WELL, last + RECOVERY)).isTrue();
  }

  @Test
  void aClassOfSlowDisksIsNotSlow() {
    // A hard disk of 15 ms, with spells of 90 ms.
    DeviceSimulation device = device(now -> now % MINUTE < 5 * SECOND ? 90 : 15);
    assertNeverSlow(device, 60 * MINUTE);
  }

  @Test
  void theThresholdFollowsTheLongTermAverageWithinBounds() {
    DeviceSimulation steady = device(now -> now < 5 * MINUTE ? 20 : 150);
    steady.runUntil(5 * MINUTE);
    assertThat(health.thresholdNanos()).isBetween(159_000_000L, 168_000_000L);
    assertNeverSlow(steady, 10 * MINUTE);

    DeviceHealth slowDisk = new DeviceHealth(DeviceHealth.THRESHOLD, DeviceHealth.RECOVERY);
    DeviceSimulation slowest =
        new DeviceSimulation(slowDisk, now -> now < 5 * MINUTE ? 80 : 400, 0);
    slowest.runUntil(5 * MINUTE);
    assertThat(slowDisk.thresholdNanos()).as("the bound").isEqualTo(300_000_000L);
    assertThat(slowest.isReachedBefore(State.SLOW, 5 * MINUTE + REPORTED_WITHIN)).isTrue();
  }

  @Test
  void theThresholdOfANodeThatWasStartedBesideOtherLoadFallsWithinMinutes() {
    DeviceSimulation device = device(now -> now < 5 * MINUTE ? 60 : 5);
    device.runUntil(5 * MINUTE);
    assertThat(health.thresholdNanos()).isEqualTo(300_000_000L);
    device.runUntil(15 * MINUTE);
    assertThat(health.thresholdNanos()).isEqualTo(DeviceHealth.THRESHOLD.toNanos());
  }

  @Test
  void aDeviceThatDegradesGraduallyDoesNotBecomeItsOwnStandard() {
    // From 1 ms to 300 ms within ten minutes.
    DeviceSimulation device = device(now -> 1 + now / 2000);
    assertThat(device.isReachedBefore(State.SLOW, 10 * MINUTE)).isTrue();
    assertThat(1 + device.now() / 2000).isBetween(100L, 200L);
  }

  @Test
  void aPauseOfTheProcessIsNotASlowDevice() {
    for (int seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      DeviceSimulation device = device(random, now -> 1 + random.nextInt(30));
      for (int pause = 0; pause < 10; pause++) {
        device.runUntil(device.now() + 2000 + random.nextInt(3000));
        device.pause(1 + random.nextInt(random.nextBoolean() ? 2000 : 100_000));
        if (random.nextBoolean()) {
          device.tick();
        }
        assertThat(device.isReachedBefore(State.SLOW, device.now() + 2000))
            .as("seed %d: slow at %d ms", seed, device.now())
            .isFalse();
      }
    }
  }

  @Test
  void slowSyncsBeforeAndAfterAPauseAreNotJudgedTogether() {
    long[] ticks = {0, 500, 1000, 1500, 9000, 9500};
    List<List<Long>> syncMillis =
        List.of(List.of(), List.of(1L), List.of(1L), List.of(900L), List.of(), List.of(400L));
    for (int i = 0; i < ticks.length; i++) {
      List<Long> nanos = syncMillis.get(i).stream().map(millis -> millis * 1_000_000).toList();
      assertThat(health.tick(ticks[i] * 1_000_000, new SyncSamples(nanos, 0)))
          .as("at %d ms", ticks[i])
          .isEqualTo(State.WELL);
    }
  }

  @Test
  void aDeviceThatIsSlowAfterAPauseIsReported() {
    DeviceSimulation device = device(now -> now < MINUTE ? 1 : 150);
    device.runUntil(MINUTE);
    device.pause(MINUTE);
    assertThat(device.isReachedBefore(State.SLOW, device.now() + REPORTED_WITHIN)).isTrue();
  }

  @Test
  void theRecoveryTimeBeginsAgainAfterAPause() {
    DeviceSimulation device = device(now -> now < MINUTE ? 150 : 1);
    device.runUntil(MINUTE + RECOVERY / 2);
    assertThat(device.state()).isEqualTo(State.SLOW);
    device.pause(RECOVERY);
    long end = device.now();
    assertThat(device.isReachedBefore(State.WELL, end + RECOVERY)).isFalse();
    assertThat(device.isReachedBefore(State.WELL, end + RECOVERY + 3 * SECOND)).isTrue();
  }

  @Test
  void aSlowDeviceWithoutSamplesIsNotKnownToBeWell() {
    DeviceSimulation device = device(now -> now < MINUTE ? 150 : 1);
    device.runUntil(MINUTE + 2 * SECOND);
    assertThat(device.state()).isEqualTo(State.SLOW);

    long now = device.now();
    for (long at = now; at < now + 5 * RECOVERY; at += 500) {
      health.tick(at * 1_000_000, new SyncSamples(List.of(), 0));
    }
    assertThat(health.state()).isEqualTo(State.SLOW);
  }

  @Test
  void aGivenThresholdAboveTheBoundIsUsed() {
    DeviceHealth tolerant = new DeviceHealth(Duration.ofSeconds(2), Duration.ofSeconds(5));
    DeviceSimulation device = new DeviceSimulation(tolerant, now -> 1900, 0);
    assertThat(device.isReachedBefore(State.SLOW, MINUTE)).isFalse();
  }
}
