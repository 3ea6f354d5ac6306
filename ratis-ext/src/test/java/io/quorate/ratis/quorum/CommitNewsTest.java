package io.quorate.ratis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Position;
import org.junit.jupiter.api.Test;

class CommitNewsTest {
  private final CommitNews news = new CommitNews();
  private long now = Long.MAX_VALUE - 10;

  @Test
  void nobodyIsAskedWhereNobodyReads() {
    assertThat(news.isAwaited(at(5), now)).isFalse();
    now += CommitNews.STANDSTILL_NANOS;
    assertThat(news.isStandstill(at(5), now)).isFalse();
    assertThat(news.isToBeTold(at(5), () -> 5, now)).isFalse();
  }

  @Test
  void aStateThatStandsStillBehindWhatReadersWereToldAsks() {
    assertThat(news.isAwaited(at(5), now)).isFalse();
    assertThat(news.reported(at(7), now)).isTrue();
    assertThat(news.reported(at(6), now)).isFalse();
    assertThat(news.isAwaited(at(5), now)).isTrue();
    assertThat(news.isStandstill(at(5), now)).isFalse();
    now += CommitNews.STANDSTILL_NANOS;
    assertThat(news.isStandstill(at(5), now)).isTrue();
    assertThat(news.isStandstill(at(6), now)).as("it has moved").isFalse();
    assertThat(news.isAwaited(at(7), now)).isFalse();
  }

  @Test
  void readersAreForgotten() {
    news.isAwaited(at(5), now);
    news.reported(at(7), now);
    now += CommitNews.MEMORY_NANOS + 1;
    assertThat(news.isStandstill(at(5), now)).isFalse();
  }

  @Test
  void aLeaderTellsWhatNoEntryWillTellWhileFollowersAsk() {
    news.followerAsked(now);
    assertThat(news.isToBeTold(at(5), () -> 5, now)).isTrue();
    assertThat(news.isToBeTold(at(5), () -> 6, now)).as("entry 6 will tell it").isFalse();
    now += CommitNews.MEMORY_NANOS + 1;
    assertThat(news.isToBeTold(at(5), () -> 5, now)).isFalse();
  }

  private static Position at(long index) {
    return new Position(1, index);
  }
}
