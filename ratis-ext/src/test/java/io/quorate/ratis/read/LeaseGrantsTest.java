package io.quorate.ratis.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.RaftGroupId;
import org.junit.jupiter.api.Test;

class LeaseGrantsTest {
  private static final Duration LENGTH = Duration.ofMillis(100);

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - LENGTH.toNanos() / 2);
  private final RaftGroupId group = RaftGroupId.randomId();

  @Test
  void initiallyNoGrantIsActive() {
    LeaseGrants leaseGrants = new LeaseGrants(Duration.ZERO, clock::get);
    assertThat(leaseGrants.isActive(group)).isFalse();
  }

  @Test
  void aGrantIsActiveForExactlyTheRequestedDuration() {
    LeaseGrants leaseGrants = new LeaseGrants(Duration.ZERO, clock::get);
    leaseGrants.grant(group, LENGTH);
    pass(LENGTH.minusNanos(1));
    assertThat(leaseGrants.isActive(group)).isTrue();
    pass(Duration.ofNanos(1));
    assertThat(leaseGrants.isActive(group)).isFalse();
  }

  @Test
  void aShorterGrantDoesNotShortenALongerOne() {
    LeaseGrants leaseGrants = new LeaseGrants(Duration.ZERO, clock::get);
    leaseGrants.grant(group, LENGTH);
    leaseGrants.grant(group, Duration.ofNanos(1));
    pass(LENGTH.minusNanos(1));
    assertThat(leaseGrants.isActive(group)).isTrue();
  }

  @Test
  void aGrantIsActiveOnlyInItsGroup() {
    LeaseGrants leaseGrants = new LeaseGrants(Duration.ZERO, clock::get);
    leaseGrants.grant(group, LENGTH);
    assertThat(leaseGrants.isActive(RaftGroupId.randomId())).isFalse();
  }

  @Test
  void aRestartedVoterCountsGrantsFromBeforeItsStart() {
    LeaseGrants restarted = new LeaseGrants(LENGTH, clock::get);
    pass(LENGTH.minusNanos(1));
    assertThat(restarted.isActive(group)).isTrue();
    pass(Duration.ofNanos(1));
    assertThat(restarted.isActive(group)).isFalse();
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }
}
