package io.quorate.ratis.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaderLeaseTest {
  private static final long BEGUN = 5_000;
  private static final long LENGTH = 800;

  private final LeaderLease lease =
      new LeaderLease(Duration.ofNanos(1000), Duration.ofNanos(200), 0);

  @Test
  void thereIsNoLeaseBeforeARoundIsConfirmed() {
    assertThat(lease.isValid(BEGUN)).isFalse();
    assertThat(lease.isPastHalf(BEGUN)).isTrue();
  }

  @Test
  void itCountsFromTheStartOfTheRoundAndEndsBeforeTheGrantByTheDrift() {
    lease.confirm(BEGUN);
    assertThat(lease.isValid(BEGUN + LENGTH - 1)).isTrue();
    assertThat(lease.isValid(BEGUN + LENGTH)).isFalse();
  }

  @Test
  void itIsPastHalfAfterHalfItsLength() {
    lease.confirm(BEGUN);
    assertThat(lease.isPastHalf(BEGUN + LENGTH / 2)).isFalse();
    assertThat(lease.isPastHalf(BEGUN + LENGTH / 2 + 1)).isTrue();
  }

  @Test
  void anEarlierRoundDoesNotShortenIt() {
    lease.confirm(BEGUN);
    lease.confirm(BEGUN - 500);
    assertThat(lease.isValid(BEGUN + LENGTH - 1)).isTrue();
  }

  @Test
  void theClockMayWrapAround() {
    LeaderLease late =
        new LeaderLease(Duration.ofNanos(1000), Duration.ofNanos(200), Long.MAX_VALUE - 10);
    late.confirm(Long.MAX_VALUE - 5);
    assertThat(late.isValid(Long.MIN_VALUE + 700)).isTrue();
    assertThat(late.isValid(Long.MIN_VALUE + 800)).isFalse();
  }

  @Test
  void aRevokedLeaseIsInvalidAndRequestsNoGrants() {
    lease.confirm(BEGUN);
    lease.revoke();
    lease.confirm(BEGUN + 1);
    assertThat(lease.isValid(BEGUN + 2)).isFalse();
    assertThat(lease.requestsGrants()).isFalse();
  }

  @Test
  void afterARestoreOnlyRoundsThatBeganLaterCount() {
    lease.confirm(BEGUN);
    lease.revoke();
    lease.restore(BEGUN + 100);
    assertThat(lease.requestsGrants()).isTrue();
    assertThat(lease.isValid(BEGUN + 101)).isFalse();
    lease.confirm(BEGUN + 99);
    assertThat(lease.isValid(BEGUN + 101)).isFalse();
    lease.confirm(BEGUN + 100);
    assertThat(lease.isValid(BEGUN + 101)).isTrue();
  }
}
