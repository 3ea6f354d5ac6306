package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The purge index; 10 entries are always retained, and up to 100 for a slow follower. */
class LogPurgerTest {
  @Test
  void aFollowerPurgesUpToATailBehindItsDurableState() {
    assertThat(purgeIndex(1000, null)).isEqualTo(990);
  }

  @Test
  void aLeaderWithCaughtUpFollowersPurgesUpToTheSameTail() {
    assertThat(purgeIndex(1000, new long[] {1000, 995})).isEqualTo(990);
    assertThat(purgeIndex(1000, new long[0])).isEqualTo(990);
  }

  @Test
  void aLeaderRetainsEntriesForASlowFollower() {
    assertThat(purgeIndex(1000, new long[] {1000, 950})).isEqualTo(950);
  }

  @Test
  void aLeaderRetainsNoEntriesForAFollowerFarBehind() {
    assertThat(purgeIndex(1000, new long[] {1000, 3})).isEqualTo(900);
    assertThat(purgeIndex(1000, new long[] {1000, -1})).isEqualTo(900);
  }

  @Test
  void entriesThatAreNotDurableAreRetained() {
    assertThat(purgeIndex(-1, new long[] {500, 500})).isNegative();
    assertThat(purgeIndex(20, new long[] {500, 500})).isEqualTo(10);
  }

  private static long purgeIndex(long durable, long[] followers) {
    return LogPurger.purgeIndex(durable, followers, 10, 100);
  }

  /** Whatever the number of entries: a log of long values must not fill the disk. */
  @Test
  void bytesBeyondTheBoundArePurgedUpToTheDurableState() {
    assertThat(LogPurger.beyond(10, 100, 0, index -> 7)).isEqualTo(9);
    assertThat(LogPurger.beyond(10, 100, -5, index -> 7)).isEqualTo(9);
    assertThat(LogPurger.beyond(10, 100, 1, index -> 7)).isEqualTo(10);
    assertThat(LogPurger.beyond(10, 100, 15, index -> 7)).isEqualTo(12);
    assertThat(LogPurger.beyond(10, 11, 1_000, index -> 7)).isEqualTo(11);
  }
}
